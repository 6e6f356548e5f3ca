// Reading without a connection: the page itself and the conversations that were read last, where no API key is used.
// With a key nothing of one's own is kept: it would outlive the key.

const [PAGE, DATA] = ["dure-page", "dure-data"];
const MOST = 300;
const HOME = new URL(self.registration.scope);
const KEPT = [/^v1\/(sessions|teams)$/, /^v1\/sessions\/[^/]+\/messages$/, /^v1\/runs$/, /^v1\/runs\/[^/]+\/events$/];

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

// What the page loaded before this worker was there.
self.addEventListener("message", (event) => Array.isArray(event.data?.keep) && event.waitUntil(keepAll(event.data.keep)));

async function keepAll(urls) {
  const cache = await caches.open(PAGE);
  for (const url of urls) if (within(url) !== null && !(await cache.match(url))) await cache.add(url).catch(() => {});
}

/** The path below where the page stands, or null for what is elsewhere. */
function within(address) {
  const url = new URL(address, HOME);
  return url.origin === HOME.origin && url.pathname.startsWith(HOME.pathname) ? url.pathname.slice(HOME.pathname.length) : null;
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = within(request.url);
  if (path === null) return;
  // What was taken away is not read any more.
  if (request.method === "DELETE") event.waitUntil(caches.delete(DATA));
  if (request.method !== "GET" || request.headers.has("Authorization") || request.headers.has("Last-Event-ID")) return;
  if (path === "") event.respondWith(fresh(event, PAGE));
  else if (/^static\/[0-9a-f]{12}\//.test(path)) event.respondWith(fixed(event));
  else if (KEPT.some((each) => each.test(path))) event.respondWith(fresh(event, DATA));
});

/** From the server; from what was kept where it cannot be reached. */
async function fresh(event, name) {
  try {
    const reply = await fetch(event.request);
    if (reply.ok) event.waitUntil(keep(name, event.request, reply.clone()));
    return reply;
  } catch (error) {
    const found = await (await caches.open(name)).match(event.request, { ignoreVary: true });
    if (!found) throw error;
    const headers = new Headers(found.headers);
    headers.set("X-Dure-Kept", "1");
    return new Response(found.body, { status: found.status, headers });
  }
}

/** A file of one version never changes. */
async function fixed(event) {
  const cache = await caches.open(PAGE);
  const found = await cache.match(event.request, { ignoreVary: true });
  if (found) return found;
  const reply = await fetch(event.request);
  if (reply.ok) event.waitUntil(cache.put(event.request, reply.clone()));
  return reply;
}

async function keep(name, request, reply) {
  const cache = await caches.open(name);
  try {
    const text = name === PAGE ? await reply.clone().text() : "";
    await cache.delete(request, { ignoreVary: true });
    await cache.put(request, reply);
    if (text) await forget(cache, /static\/([0-9a-f]{12})\//.exec(text)?.[1]);
    const all = name === DATA ? await cache.keys() : [];
    for (const each of all.slice(0, Math.max(0, all.length - MOST))) await cache.delete(each);
  } catch {
    // A stream that broke off, or a full disk: it is not kept.
  }
}

/** Files of other versions than the page's. */
async function forget(cache, version) {
  for (const each of await cache.keys()) {
    const path = within(each.url);
    if (version && path.startsWith("static/") && !path.startsWith(`static/${version}/`)) await cache.delete(each);
  }
}

// All that the first view needs, as one file on the wire (dure/web/bundle.py); the views that are loaded later import
// from here. Served file by file it works the same.

export * from "./activity.js";
export * from "./api.js";
export * from "./approval.js";
export * from "./artifacts.js";
export * from "./dom.js";
export * from "./fold.js";
export * from "./i18n.js";
export * from "./main.js";
export * from "./markdown.js";
export * from "./plan.js";
export * from "./record.js";
export * from "./router.js";
export * from "./sources.js";
export * from "./state.js";
export * from "./stream.js";
export * from "./toast.js";

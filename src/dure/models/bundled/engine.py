"""The bundled model's process: llama.cpp's server on loopback. Run as a file, not as a module of the package.

One line of JSON comes in on stdin (the key is in it, so it is never on a command line): `path`, `context` (tokens),
`threads` (0: the engine decides), `key`, `name`, `readings`
(a folder for what it has read). One line goes out on stdout: `{"port"}`. It ends when
stdin ends, which happens however its parent dies.
"""

import json
import os
import sys
import threading

_CACHE_MIB = 512
_MOST_TOKENS = 1024
"""Longest reply where a request sets no bound: a small model may repeat itself without end."""


def main() -> None:
    config = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    from xllamacpp import CommonParams, Server

    params = CommonParams()
    params.model.path = config["path"]
    params.model_alias = {config["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [config["key"]]
    params.n_ctx = config["context"]
    params.n_parallel = 1
    params.n_predict = _MOST_TOKENS
    # Earlier prompts are kept, since one message asks for several things under long rules: read again in a second
    # instead of thirty. Some 30 KB a token; the engine's own default is 8 GiB.
    params.cache_ram_mib = _CACHE_MIB
    params.ui = False
    params.endpoint_slots = False
    params.slot_save_path = config["readings"] + os.sep
    params.offline = True
    params.cpuparams.n_threads = config["threads"] or -1
    params.cpuparams_batch.n_threads = config["threads"] or -1
    server = Server(params)
    port = int(server.listening_address.rsplit(":", 1)[1])
    print(json.dumps({"port": port}), flush=True)
    threading.Event().wait()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    # At once: the engine's threads would be waited for otherwise.
    os._exit(0)


if __name__ == "__main__":
    main()

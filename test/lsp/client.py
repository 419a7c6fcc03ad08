# ===- client.py - A scripted editor ---------------------------------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""Speaks JSON-RPC with a catt-lsp over pipes, as an editor does."""

import json
import pathlib
import queue
import subprocess
import threading

CAPABILITIES = {
    "textDocument": {"codeAction": {"disabledSupport": True},
                     "publishDiagnostics": {"relatedInformation": True}},
    "workspace": {"applyEdit": True,
                  "workspaceEdit": {"documentChanges": True}},
}

# The paper's equations: what is proposed does not hang on a time model.
BASE = {"gpu": "sm_80", "model": "catt", "noCuda": True,
        "delay": 10}


def units(text):
    """Length in UTF-16 code units, in which the protocol counts."""
    return len(text.encode("utf-16-le")) // 2


def offset(text, position):
    """The index in a Python string that a position of the protocol names."""
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[:position["line"]])
    left = position["character"]
    for index, character in enumerate(lines[position["line"]] + "\n"):
        if left <= 0:
            return before + index
        left -= units(character)
    raise ValueError(f"no such position: {position}")


def apply(text, edits):
    """The text after TextEdits, applied as the protocol says."""
    places = sorted(((offset(text, e["range"]["start"]),
                      offset(text, e["range"]["end"]), e["newText"])
                     for e in edits), reverse=True)
    for begin, end, new in places:
        text = text[:begin] + new + text[end:]
    return text


class Client:
    """One server. Requests wait for their answer; what else the server says is
    kept in `heard`, in order."""

    def __init__(self, program, capabilities=None, options=None, seconds=60,
                 arguments=()):
        self.server = subprocess.Popen(
            [program, *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.seconds = seconds
        self.incoming = queue.Queue()
        self.heard = []
        self.answers = {}
        self.applied = []
        self.last_id = 0
        self.versions = {}
        self.transcript = []
        threading.Thread(target=self._read, daemon=True).start()
        if options is None:
            options = BASE
        self.options = options
        self.capabilities = (CAPABILITIES if capabilities is None
                             else capabilities)

    def __enter__(self):
        self.hello = self.call("initialize", {
            "capabilities": self.capabilities,
            "initializationOptions": self.options})
        self.notify("initialized", {})
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.call("shutdown", None)
            self.notify("exit", None)
            self.status = self.server.wait(self.seconds)
        else:
            self.server.kill()
            self.server.wait()
        self.server.stdin.close()
        self.server.stdout.close()

    # -- The wire ------------------------------------------------------------

    def _read(self):
        out = self.server.stdout
        try:
            while True:
                length = None
                while (line := out.readline().strip()):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                if length is None:
                    break
                self.incoming.put(out.read(length))
        except ValueError:
            pass
        self.incoming.put(None)

    def send_bytes(self, data):
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def receive(self):
        """The next message; answers requests of the server."""
        body = self.incoming.get(timeout=self.seconds)
        if body is None:
            raise EOFError("the server has ended")
        self.transcript.append(body)
        message = json.loads(body)
        if "method" in message and "id" in message:
            result = None
            if message["method"] == "workspace/applyEdit":
                self.applied.append(message["params"]["edit"])
                result = {"applied": True}
            self.send({"id": message["id"], "result": result})
        if "method" in message:
            self.heard.append(message)
        else:
            self.answers[message["id"]] = message
        return message

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def begin(self, method, params):
        """Sends a request; returns its id."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        return self.last_id

    def answer(self, identity):
        while identity not in self.answers:
            self.receive()
        return self.answers.pop(identity)

    def call(self, method, params):
        message = self.answer(self.begin(method, params))
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["result"]

    def error(self, method, params):
        """The error that a request is answered with."""
        return self.answer(self.begin(method, params))["error"]

    # -- Documents -----------------------------------------------------------

    def open(self, path, text):
        uri = pathlib.Path(path).as_uri()
        self.versions[uri] = 1
        self.notify("textDocument/didOpen", {"textDocument": {
            "uri": uri, "languageId": "cuda-cpp", "version": 1, "text": text}})
        return uri

    def change(self, uri, changes):
        """changes: whole texts, or (range, text)."""
        self.versions[uri] += 1
        events = [{"text": c} if isinstance(c, str)
                  else {"range": c[0], "text": c[1]} for c in changes]
        self.notify("textDocument/didChange", {
            "textDocument": {"uri": uri, "version": self.versions[uri]},
            "contentChanges": events})

    def diagnostics(self, uri):
        """Those of the newest version, once they come."""
        while True:
            for message in reversed(self.heard):
                params = message.get("params", {})
                if (message["method"] == "textDocument/publishDiagnostics"
                        and params["uri"] == uri
                        and params.get("version") == self.versions[uri]):
                    return params["diagnostics"]
            self.receive()

    def at(self, uri, line, character=0):
        return {"textDocument": {"uri": uri},
                "position": {"line": line, "character": character}}

    def hover(self, uri, line, character=0):
        found = self.call("textDocument/hover", self.at(uri, line, character))
        return found["contents"]["value"] if found else None

    def actions(self, uri, line, only=None, character=0):
        place = {"line": line, "character": character}
        context = {"diagnostics": []}
        if only:
            context["only"] = only
        return self.call("textDocument/codeAction", {
            "textDocument": {"uri": uri}, "context": context,
            "range": {"start": place, "end": place}})

    def command(self, name, *arguments):
        return self.call("workspace/executeCommand",
                         {"command": name, "arguments": list(arguments)})

    @staticmethod
    def edits(edit, uri):
        """The TextEdits of a WorkspaceEdit for one document."""
        if "changes" in edit:
            return edit["changes"].get(uri, [])
        return [e for d in edit["documentChanges"]
                if d["textDocument"]["uri"] == uri for e in d["edits"]]

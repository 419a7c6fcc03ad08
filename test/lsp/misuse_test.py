#!/usr/bin/env python3
# ===- misuse_test.py - The language server, used badly -----------------===#
#
# Part of catt-rewrite, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===#
"""usage: misuse_test.py <catt-lsp> <catt-rewrite> [unittest arguments]"""

import json
import random

from scene import FINE, FOR, KERNEL, ROWS, ServerTest, main


class Misused(ServerTest):
    def test_before_and_after_its_life(self):
        c = self.client()
        error = c.error("textDocument/hover", c.at("file:///k.cu", 0))
        self.assertEqual(error["code"], -32002)
        with c:
            self.assertEqual(c.error("initialize", {})["code"], -32600)
        self.assertEqual(c.status, 0)

    def test_exit_without_shutdown_is_a_failure(self):
        c = self.client()
        c.notify("exit", None)
        self.assertEqual(c.server.wait(60), 1)
        c.server.stdin.close()
        c.server.stdout.close()

    def test_the_stream_ends(self):
        c = self.client()
        c.open(self.path(), ROWS)
        c.server.stdin.close()
        self.assertEqual(c.server.wait(60), 1)
        c.server.stdout.close()

    def test_cancel(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS * 1 + "".join(
                KERNEL.format(name=f"k{n}") for n in range(40)))
            slow = c.begin("textDocument/hover", c.at(uri, 0))
            c.notify("$/cancelRequest", {"id": slow})
            answer = c.answer(slow)
            self.assertEqual(answer.get("error", {}).get("code"), -32800)
            # What was answered or never asked can be cancelled too.
            for identity in (slow, 4711, "x", None):
                c.notify("$/cancelRequest", {"id": identity})
            self.assertIn("rows", c.hover(uri, 0))

    def test_messages_that_make_no_sense(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            for method, params, code in (
                    ("no/such", {}, -32601),
                    ("textDocument/hover", {}, -32602),
                    ("textDocument/hover", None, -32602),
                    ("textDocument/hover", [1], -32602),
                    ("textDocument/codeAction", {"textDocument": 3}, -32602),
                    ("workspace/executeCommand", {"command": "rm"}, -32602),
                    ("workspace/executeCommand",
                     {"command": "catt.showReport"}, -32602),
                    ("workspace/executeCommand",
                     {"command": "catt.applyKernel", "arguments": [uri]},
                     -32602)):
                self.assertEqual(c.error(method, params)["code"], code, method)
            c.notify("textDocument/didChange", {"nothing": True})
            c.notify("textDocument/didChange", {
                "textDocument": {"uri": uri, "version": 2},
                "contentChanges": [{"range": {
                    "start": {"line": 5, "character": 0},
                    "end": {"line": 1, "character": 0}}, "text": "x"}]})
            c.versions[uri] = 2
            self.assertEqual(len(c.diagnostics(uri)), 1)

    def test_bytes_that_are_no_message(self):
        with self.client() as c:
            uri = c.open(self.path(), ROWS)
            c.diagnostics(uri)
            for body, code in ((b"{", -32700), (b"[]", -32600),
                               (b"\xff\xfe{}", -32700), (b"{}", -32600),
                               (b'{"jsonrpc":"1.0","id":"z","method":"x"}',
                                -32600),
                               (b'{"jsonrpc":"2.0","id":{},"method":"x"}',
                                -32600),
                               (b"[" * 100000, -32600)):
                c.send_bytes(b"Content-Length: %d\r\n\r\n%s"
                             % (len(body), body))
                while (message := c.receive()).get("error") is None:
                    pass
                self.assertEqual(message["error"]["code"], code, body[:40])
            c.send_bytes(b"Content-Length: 99999999999999999\r\n\r\n")
            c.send_bytes(b"Content-Length: -1\r\n\r\nrubbish\r\n\r\n")
            self.assertIn("rows", c.hover(uri, 0))

    def test_damaged_messages_do_no_harm(self):
        """Real messages with bytes changed, dropped or doubled, in frames of
        the right length; the server must answer a good one afterwards."""
        randomness = random.Random(22)
        uri = self.path().as_uri()
        place = {"line": FOR, "character": 0}
        good = [json.dumps({"jsonrpc": "2.0", **m}).encode() for m in (
            {"id": 1, "method": "textDocument/hover",
             "params": {"textDocument": {"uri": uri}, "position": place}},
            {"id": 2, "method": "textDocument/codeAction", "params": {
                "textDocument": {"uri": uri}, "context": {"diagnostics": []},
                "range": {"start": place, "end": place}}},
            {"method": "workspace/didChangeConfiguration",
             "params": {"settings": {"catt": {"gpu": "sm_80", "delay": 5}}}},
            {"id": "a", "method": "workspace/executeCommand", "params": {
                "command": "catt.showReport", "arguments": [uri, 0]}},
            {"method": "$/cancelRequest", "params": {"id": 7}},
            {"id": 9, "result": {"applied": True}})]
        with self.client() as c:
            c.open(self.path(), ROWS)
            for _ in range(4000):
                body = bytearray(randomness.choice(good))
                for _ in range(randomness.randrange(1, 4)):
                    at = randomness.randrange(len(body))
                    what = randomness.randrange(3)
                    if what == 0:
                        body[at] = randomness.randrange(256)
                    elif what == 1:
                        del body[at:at + randomness.randrange(1, 20)]
                    else:
                        body[at:at] = body[at:at + 10]
                    if not body:
                        body = bytearray(b"{")
                c.send_bytes(b"Content-Length: %d\r\n\r\n%s"
                             % (len(body), bytes(body)))
            c.last_id = 1 << 20  # whatever ids were answered above
            self.assertIn("rows", c.hover(uri, 0))


class Same(ServerTest):
    def test_two_sessions_say_the_same(self):
        def session():
            with self.client() as c:
                uri = c.open(self.path(), ROWS + FINE)
                c.diagnostics(uri)
                c.hover(uri, FOR)
                c.actions(uri, FOR)
                c.call("textDocument/codeLens", {"textDocument": {"uri": uri}})
                c.command("catt.showReport", uri)
            return c.transcript
        self.assertEqual(session(), session())


if __name__ == "__main__":
    main()

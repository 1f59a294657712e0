# SPDX-License-Identifier: GPL-2.0-or-later
"""localsocket - the container's own JSON-RPC: HTTP POST /api/v1 on a unix
socket, .../local-sockets/NAME/container.sock (weka-operator node_agent.go).

Undocumented, in newer releases only, and its path outside of Kubernetes is
not public: a knob turns it on, the directory is an assumption.
"""
import json
import os
import socket
import threading

from . import stats

DIRECTORY = "/opt/weka/external-mounts/local-sockets"
BODY_MAX = 65536


def _read_request(conn):
    data = b""
    conn.settimeout(30)
    while b"\r\n\r\n" not in data:
        more = conn.recv(65536)
        if not more or len(data) > BODY_MAX:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.decode("latin-1").split("\r\n")[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-length":
            length = min(int(value), BODY_MAX)
    while len(body) < length:
        more = conn.recv(65536)
        if not more:
            return None
        body += more
    return json.loads(body)


class LocalSocket:
    """One container's socket; close() removes it."""

    def __init__(self, node, name):
        self.node = node
        self.name = name
        self.path = node.paths("%s/%s/container.sock" % (DIRECTORY, name))
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if os.path.exists(self.path):
            os.unlink(self.path)
        here = os.open(os.path.dirname(self.path),
                       os.O_RDONLY | os.O_DIRECTORY)
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind("/proc/self/fd/%d/container.sock" % here)
        os.close(here)
        self.listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                conn, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(conn,),
                             daemon=True).start()

    def _serve(self, conn):
        with conn:
            try:
                request = _read_request(conn)
                fault = self.node.knobs["faults.socket"]
                if fault == "hang":
                    conn.recv(1)    # until the caller gives up
                elif fault == "garbage":
                    conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n{\"result\": [")
                elif request is not None:
                    conn.sendall(self._answer(request))
            except (OSError, ValueError):
                pass    # a broken connection

    def _answer(self, request):
        container = self.node.state["containers"].get(self.name)
        result = None
        if container:
            result = stats.json_rpc(self.node, container,
                                    request.get("method"))
        answer = {"jsonrpc": "2.0", "id": request.get("id")}
        if result is None:
            answer["error"] = {"code": -32601, "message": "Method not found"}
        else:
            answer["result"] = result
        body = json.dumps(answer).encode()
        return (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                b"Connection: close\r\nContent-Length: %d\r\n\r\n"
                % len(body)) + body

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        try:
            os.unlink(self.path)
        except OSError:
            pass


def keep(node, open_sockets):
    """Open and close sockets: one for each running container if the knob is set."""
    want = set()
    if node.knobs["client.local_socket"]:
        want = {name for name, c in node.state["containers"].items()
                if c["phase"] != "stopped"}
    for name in set(open_sockets) - want:
        open_sockets.pop(name).close()
    for name in want - set(open_sockets):
        open_sockets[name] = LocalSocket(node, name)

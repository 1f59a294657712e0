# SPDX-License-Identifier: GPL-2.0-or-later
"""node - the state of one client node and all operations that change it.

The state is one JSON file, replaced atomically; one process at a time owns it
(a lock with a timeout). Documented seconds pass at the speed of the knob
time.compression. Numbers in comments, #1 to #26, are those of the table in
README.md.
"""
import copy
import errno
import fcntl
import json
import os
import signal
import socket
import subprocess
import threading
import time

from . import options, resources
from .cgroups import CgroupError, Cgroups
from .kernel import (MNT_DETACH, MNT_FORCE, Kernel, fuse_targets,
                     without_kernel_words)
from .knobs import Knobs
from .paths import read_text, write_atomic
from .topology import Topology

LOCK_DEADLINE_S = 10
OPERATION_DEADLINE_S = 60
MOUNT_FAILED = 32       # mount(8)
AUTO = resources.AUTO


class WekaError(Exception):
    def __init__(self, text, rc=1):
        super().__init__(text)
        self.text = text
        self.rc = rc


class StartError(Exception):
    pass


def start_time(pid):
    """Field 22 of /proc/PID/stat, or None if the process has ended or is a zombie."""
    text = read_text("/proc/%d/stat" % pid)
    field = text.rpartition(")")[2].split()
    if len(field) < 20 or field[0] in "ZX":
        return None
    return field[19]


def our_processes(paths):
    """[(pid, start time)] of every wekanode that serves this root."""
    out = []
    for name in os.listdir("/proc"):
        if not name.isdigit() or not read_text(
                "/proc/%s/cmdline" % name).startswith("/weka/wekanode\0"):
            continue
        duty = "WEKA_SIM_DUTY=" + paths.duty
        if any(word in (duty, duty + ".management") for word in
               read_text("/proc/%s/environ" % name).split("\0")):
            out.append((int(name), start_time(int(name))))
    return out


class Node:
    def __init__(self, paths):
        self.paths = paths
        paths.make()
        self.knobs = Knobs(paths.conf)
        self.lock = threading.RLock()
        self.operations = {}
        self.lock_fd = None
        self.state = None
        self.kernel = Kernel(self)
        self.topology = Topology(self.knobs)

    # ---- state on disk ---------------------------------------------------
    def own(self, deadline_s=LOCK_DEADLINE_S):
        """Take the lock: one process may change the state."""
        self.lock_fd = os.open(self.paths.lock,
                               os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        end = time.monotonic() + deadline_s
        while True:
            try:
                fcntl.flock(self.lock_fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > end:
                    raise WekaError("state is locked by another process")
                time.sleep(0.02)
        self.load()

    def load(self):
        text = read_text(self.paths.state)
        self.state = json.loads(text) if text else {
            "next_id": 41, "next_mount": 0, "driver": False,
            "agent": {}, "containers": {}, "mounts": []}

    def save(self):
        with self.lock:
            write_atomic(self.paths.state, json.dumps(self.state, indent=1))

    def publish(self):
        """Save, and update the driver's files and the mount table."""
        with self.lock:
            self.save()
            for mount in self.state["mounts"]:
                self.kernel.steer(mount)
            self.kernel.write_table()
            self.kernel.write_proc()
            for container in self.state["containers"].values():
                self._write_resources(container)

    def sleep(self, documented_s):
        time.sleep(self.knobs.seconds(documented_s))

    def hostname(self):
        return socket.gethostname()

    def operation(self, name, deadline_s=OPERATION_DEADLINE_S):
        """One operation at a time on a container; others wait, with a timeout."""
        with self.lock:
            lock = self.operations.setdefault(name, threading.Lock())
        if not lock.acquire(timeout=deadline_s):
            raise WekaError("container '%s' is busy with another operation"
                            % name)
        return lock

    # ---- queries ---------------------------------------------------------
    def container(self, name=None):
        """The named container, or the only one."""
        all_of_them = self.state["containers"]
        if name is None:
            if len(all_of_them) == 1:
                return next(iter(all_of_them.values()))
            if not all_of_them:
                raise WekaError("error: No containers were found")
            raise WekaError("error: More than one container is running: "
                            "name one with --container")
        if name not in all_of_them:
            raise WekaError("error: Container '%s' was not found" % name)
        return all_of_them[name]

    def mounts_of(self, container):
        return [m for m in self.state["mounts"]
                if m["container"] == container["name"]]

    def alive(self, container, slot):
        row = container["procs"].get(slot)
        return bool(row) and start_time(row[0]) == row[1]

    def connected(self, container):
        """Frontend process ids in order; 0 for a frontend that is not connected."""
        out = []
        gone = self.knobs["faults.disconnected"]
        for index, (slot, _) in enumerate(
                resources.frontends(container["stable"])):
            up = (container["phase"] == "READY" and str(index) not in gone
                  and self.alive(container, slot))
            out.append(container["procs"][slot][0] if up else 0)
        return out

    def stalled(self, mount):
        """True while no frontend is connected: I/O then waits and does not fail."""
        container = self.state["containers"].get(mount["container"])
        return container is not None and not any(self.connected(container))

    def stalled_for(self, mount):
        container = self.state["containers"].get(mount["container"])
        return time.time() - (container or {}).get("phase_since", time.time())

    # ---- checks (#15, #16) -----------------------------------------------
    def check_cores(self, request, remount=False):
        """Refuse requests that the documents exclude; returns core ids or AUTO."""
        udp = "udp" in request.nets
        if request.cores and request.num_cores is not None:
            raise WekaError("mount options 'core' and 'num_cores' are "
                            "mutually exclusive")
        if request.num_cores == 0:
            if not udp:
                raise WekaError("num_cores=0 is only allowed with net=udp")
            return [AUTO]
        cores = request.cores or [AUTO] * (request.num_cores or 1)
        self.check_ids(cores)
        if not request.nets and not remount:
            raise WekaError("mount option 'net' is required")
        return cores

    def check_ids(self, cores):
        if len(cores) > resources.CORES_MAX:
            raise WekaError("%d cores requested: a container has at most %d"
                            % (len(cores), resources.CORES_MAX))
        fixed = [c for c in cores if c != AUTO]
        if len(set(fixed)) != len(fixed):
            raise WekaError("a core id is given twice")
        for core in fixed:
            if core == 0:
                raise WekaError("core 0 cannot be used: it is reserved for "
                                "the operating system")
            if core not in self.topology.online:
                raise WekaError("core %d does not exist or is offline" % core)

    # ---- processes -------------------------------------------------------
    def _spawn(self, container, slot, cpu):
        """Start a /weka/wekanode, in the cpuset and on its CPU (slot 0 is not
        pinned)."""
        run = subprocess.run(
            ["/weka/wekanode", "--slot", slot],
            executable=self.paths.lib + "/wekanode",
            env={"WEKA_SIM_DUTY": self.paths.duty if slot != "0"
                 else self.paths.duty + ".management",
                 "WEKA_CONTAINER": container["name"]},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
            timeout=10)
        pid = int(run.stdout)
        with self.lock:
            container["procs"][slot] = [pid, start_time(pid)]
            self.save()
        if slot == "0":
            return
        if container["cgroup"]["enabled"] and cpu is not None:
            try:
                self._cgroups().enter(container["name"], pid)
            except OSError as e:
                raise StartError("cannot enter the cpuset: %s" % e.strerror)
        if cpu is not None:
            try:
                os.sched_setaffinity(pid, {cpu})
            except OSError:
                pass    # a made-up CPU of the knobs

    def _kill(self, container, slots=None):
        """End processes of this container by id, and wait until they have ended."""
        with self.lock:
            rows = [container["procs"].pop(slot)
                    for slot in list(container["procs"])
                    if slots is None or slot in slots]
        for pid, started in rows:
            if start_time(pid) == started:
                os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 5
        for pid, started in rows:
            while start_time(pid) == started and time.monotonic() < end:
                time.sleep(0.005)

    def write_duty(self):
        write_atomic(self.paths.duty, "%d\n" % self.knobs["frontend.duty"])

    def _cgroups(self):
        return Cgroups(self.paths, self.knobs, self.topology)

    # ---- container: start and stop ---------------------------------------
    def phase(self, container, phase, action="NONE"):
        with self.lock:
            container["phase"] = phase
            container["action"] = action
            container["phase_since"] = time.time()
            self.publish()

    def _place(self, container, shape):
        """The CPU of each frontend; CPUs of automatic cores are chosen here."""
        rows = resources.processes(shape)
        dedicated = shape["nodes"]
        taken = [core for _, core in rows if core != AUTO]
        for other in self.state["containers"].values():
            if other is not container:
                taken += [c for c in other["placed"].values() if c is not None]
        autos = [slot for slot, core in rows if core == AUTO
                 and dedicated[slot]["dedicate_core"]]
        taken_firsts = {min(self.topology.siblings.get(c, {c}))
                        for c in taken}
        chosen = self.topology.choose(len(autos), taken_firsts)
        if len(chosen) < len(autos):
            raise StartError("not enough cores: %d requested, %d free"
                             % (len(autos), len(chosen)))
        placed = dict(zip(autos, chosen))
        for slot, core in rows:
            if core != AUTO:
                if core not in self.topology.online:
                    raise StartError("core %d does not exist or is offline"
                                     % core)
                placed[slot] = core
            else:
                placed.setdefault(slot, None)
        return placed

    def _boot(self, container, shape, stable_ids):
        """Start with these resources: STEM -> CLUSTERIZING -> READY."""
        self.phase(container, "STEM")
        container["started"] = time.time()
        self.sleep(self.knobs["time.start_s"])
        if self.knobs["faults.apply_fails"] and shape != container["stable"]:
            raise StartError("failed to apply the new resources")
        pool = self.knobs["memory.hugepages_mb"]
        if pool and shape["memory"] > pool * 1024 * 1024:
            raise StartError("failed to allocate hugepages: %d MB needed, "
                             "%d MB free" % (shape["memory"] >> 20, pool))
        container["placed"] = self._place(container, shape)
        mode = self.state["agent"]["cgroups_mode"]
        groups = self._cgroups()
        try:
            enabled = groups.decide(mode)
        except CgroupError as e:
            raise StartError(str(e))
        container["cgroup"] = {"enabled": enabled}
        cpus = self.topology.cores_of(
            c for c in container["placed"].values() if c is not None)
        if enabled and cpus:
            try:
                groups.create(container["name"], cpus)
            except CgroupError as e:
                raise StartError(str(e))
        self._spawn(container, "0", None)
        for slot, _ in resources.processes(shape):
            self._spawn(container, slot, container["placed"][slot])
        self.phase(container, "CLUSTERIZING")
        self.sleep(self.knobs["time.join_s"])
        with self.lock:
            container["stable"] = copy.deepcopy(shape)
            for slot in list(container["ids"]):
                if slot not in stable_ids:
                    del container["ids"][slot]
        self.phase(container, "READY")

    def start(self, container):
        """Start with the staged resources; if that fails, with the last stable
        ones ("RevertToStableResources", #11)."""
        container["want"] = "running"
        for attempt in (1, 2):
            shape = container["staged"]
            with self.lock:
                self._number(container, shape)
            try:
                self._boot(container, shape, list(shape["nodes"]))
                break
            except (StartError, OSError, subprocess.SubprocessError) as e:
                self._down(container)
                self._failure(container, str(e))
                if attempt == 2 or shape == container["stable"] \
                        or not container["stable"]["nodes"]:
                    container["want"] = "stopped"
                    self.phase(container, "stopped")
                    raise WekaError("error: Container '%s' failed to start: %s"
                                    % (container["name"], e))
                container["staged"] = copy.deepcopy(container["stable"])
                reason = str(e)
        if attempt == 2:
            raise WekaError("error: Applying resources on container '%s' "
                            "failed: %s. Reverted to the last stable resources"
                            % (container["name"], reason))

    def _number(self, container, shape):
        """Process ids change only when the container is created again (#26)."""
        for slot in shape["nodes"]:
            if slot not in container["ids"]:
                container["ids"][slot] = self.state["next_id"]
                self.state["next_id"] += 1

    def _failure(self, container, text):
        container["last_failure"] = text
        container["last_failure_time"] = time.strftime(
            "%Y-%m-%dT%H:%M:%SZ", time.gmtime())

    def _down(self, container):
        """End the processes and remove the cpuset."""
        self._kill(container)
        self._cgroups().remove(container["name"])
        container["placed"] = {}

    def stop(self, container, graceful=False, want="stopped"):
        container["want"] = want
        if container["phase"] == "stopped":
            return
        if graceful:
            self.phase(container, "DRAINING", "DRAINING")
            self.sleep(self.knobs["time.stop_s"] / 2)
        self.phase(container, "stopping", "STOPPING")
        self.sleep(self.knobs["time.stop_s"])
        self._down(container)
        if want == "stopped":
            self._failure(container, "Container stopped due to user request")
        self.phase(container, "stopped")

    def restart(self, container, graceful=False):
        self.stop(container, graceful, want="running")
        self.start(container)

    def create(self, name, persistent, shape, stateless):
        port = shape["base_port"]
        container = {
            "name": name, "persistent": persistent, "phase": "stopped",
            "phase_since": time.time(), "action": "NONE", "want": "stopped",
            "port": port,
            "version": self.knobs["client.version"], "started": None,
            "stable": dict(shape, nodes={}), "staged": shape, "placed": {},
            "cgroup": {"enabled": False},
            "procs": {}, "ids": {}, "stateless": stateless,
            "last_failure": "", "last_failure_time": "",
        }
        with self.lock:
            self.state["containers"][name] = container
            self.state["driver"] = True
            self.save()
        return container

    def remove(self, container):
        """The client leaves the cluster and is uninstalled (#8)."""
        self.phase(container, "stopping", "STOPPING")
        self.sleep(self.knobs["time.umount_s"])
        self._down(container)
        with self.lock:
            self.state["containers"].pop(container["name"], None)
            directory = os.path.join(self.paths.data, container["name"],
                                     "container")
            for name in ("resources.json", "resources.json.stable",
                         "resources.json.staging"):
                try:
                    os.unlink(os.path.join(directory, name))
                except OSError:
                    pass
            self.publish()

    def next_port(self):
        """14000, 14101, 14201 ... 14601: one range a container (SCMC)."""
        used = {c["port"] for c in self.state["containers"].values()}
        for port in [14000] + [14001 + 100 * i for i in range(1, 7)]:
            if port not in used:
                return port
        raise WekaError("error: a client has at most 7 containers")

    def _write_resources(self, container):
        directory = os.path.join(self.paths.data, container["name"],
                                 "container")
        os.makedirs(directory, exist_ok=True)
        for suffix, shape in (("", container["stable"]),
                              (".stable", container["stable"]),
                              (".staging", container["staged"])):
            path = os.path.join(directory, "resources.json" + suffix)
            text = json.dumps(shape, indent=4, sort_keys=True) + "\n"
            if read_text(path) != text:
                write_atomic(path, text)

    # ---- resources (#9 to #14) -------------------------------------------
    def stage_cores(self, container, count, ids):
        if ids and len(ids) != count:
            raise WekaError("error: %d core ids for %d cores"
                            % (len(ids), count))
        if count < 1:
            raise WekaError("error: a client has at least one core")
        cores = list(ids) or [AUTO] * count
        self.check_ids(cores)
        if self.knobs["rules.strict_deactivate"] and not self.knobs.is5() \
                and container["phase"] == "READY":
            raise WekaError("error: Container '%s' is active: it must be "
                            "deactivated to change its cores"
                            % container["name"])
        with self.lock:
            container["staged"] = resources.with_cores(container["staged"],
                                                       cores)
            self.publish()

    def restore(self, container):
        with self.lock:
            container["staged"] = copy.deepcopy(container["stable"])
            self.publish()

    def check_shrink(self, container, shape):
        """5.x: "Cannot lower frontend count while a mount is active" (#13)."""
        if self.knobs.is5() and self.mounts_of(container) and len(
                resources.frontends(shape)) < len(
                    resources.frontends(container["stable"])):
            raise WekaError("error: Cannot lower frontend count while a "
                            "mount is active")

    def apply(self, container, graceful=False):
        lock = self.operation(container["name"])
        try:
            self.check_shrink(container, container["staged"])
            self.restart(container, graceful)
        finally:
            lock.release()

    # ---- mount (#1, #2) --------------------------------------------------
    def split_source(self, source):
        """'b0,b1/fs' or 'b0:/fs' -> ([b0, b1], fs); 'fs' -> ([], fs)"""
        hosts, slash, fs = source.partition("/")
        if not slash:
            return [], source
        hosts = [h for h in hosts.rstrip(":").split(",") if h]
        if not hosts or not fs:
            raise WekaError("invalid source '%s'" % source)
        return hosts, fs

    def mount(self, source, target, text):
        text, merged = without_kernel_words(target, text)
        try:
            request = options.Request(text)
        except options.OptionError as e:
            raise WekaError(str(e), MOUNT_FAILED)
        try:
            if request.remount:
                return self.remount(source, target, request, merged)
            return self._mount(source, target, request)
        except WekaError as e:
            raise WekaError("mount.wekafs: %s" % e.text, MOUNT_FAILED)

    def _mount(self, source, target, request):
        hosts, fs = self.split_source(source)
        if self.kernel.fuse() and not os.path.isdir(target):
            raise WekaError("mount point %s does not exist" % target)
        name = request.container
        if name is None:
            names = [n for n, c in self.state["containers"].items()
                     if resources.frontends(c["stable"])]
            name = names[0] if len(names) == 1 else "client"
        lock = self.operation(name)
        try:
            container = self.state["containers"].get(name)
            if container is None:
                if not hosts:
                    raise WekaError("no client container is running: a "
                                    "mount without backends needs one")
                container = self._first_mount(name, hosts, request)
            elif container["phase"] != "READY":
                raise WekaError("container '%s' is not ready" % name)
            self._attach(container, fs, hosts, target, request)
        finally:
            lock.release()

    def _first_mount(self, name, hosts, request):
        """Create, allocate, join; after a failure everything is removed."""
        cores = self.check_cores(request)
        udp = request.num_cores == 0
        shape = resources.new(self.next_port(), self.hostname(), hosts)
        shared = request.stateless.get("dedicated_mode") == "none"
        shape = resources.with_cores(shape, cores, not (udp or shared),
                                     mode="NONE" if shared else "FULL")
        shape = resources.with_nets(shape,
                                    [n for n in request.nets if n != "udp"])
        stateless = options.merge_stateless(options.default_stateless(),
                                            request, False)
        shape["auto_remove_timeout"] = int(stateless["remove_after_secs"])
        shape["restricted_client"] = bool(stateless["restricted"])
        container = self.create(name, False, shape, stateless)
        try:
            self.sleep(self.knobs["time.first_mount_s"])
            self.start(container)
        except WekaError:
            self.remove(container)
            raise
        return container

    def _attach(self, container, fs, hosts, target, request):
        with self.lock:
            mount = {
                "id": self.state["next_mount"], "fs": fs, "target": target,
                "source": "%s/%s" % (hosts[0], fs) if hosts else fs,
                "container": container["name"], "pending": True,
                "general": options.mounted(request),
                "kernel": self.kernel.fuse(),
            }
            self.state["next_mount"] += 1
            self.state["mounts"].append(mount)
        # without the lock: the kernel calls the file system during the mount
        error = self.kernel.attach(mount)
        with self.lock:
            if error:
                self.state["mounts"].remove(mount)
            mount["pending"] = False
            self.publish()
        if error:
            if not self.mounts_of(container) and not container["persistent"]:
                self.remove(container)
            raise WekaError(error)

    # ---- remount (#3 to #6) ----------------------------------------------
    def find_mount(self, target):
        found = None
        for mount in self.state["mounts"]:
            if mount["target"] == target and not mount["pending"]:
                found = mount
        return found

    def remount(self, source, target, request, merged=0):
        mount = self.find_mount(target)
        if mount is None:
            raise WekaError("mount point not mounted: %s" % target)
        if source not in (mount["source"], mount["fs"], "", "none") and \
                self.split_source(source)[1] != mount["fs"]:
            raise WekaError("%s is not mounted on %s" % (source, target))
        if self.knobs["faults.remount_lies"]:
            return
        container = self.container(mount["container"])
        lock = self.operation(container["name"])
        try:
            self._remount_cores(container, request)
            with self.lock:
                if merged:
                    general = dict(mount["general"])
                    general.update(request.general)
                else:
                    general = options.remounted(mount["general"], request)
                mount["general"] = general
                container["stateless"] = options.merge_stateless(
                    container["stateless"], request, True)
                self.publish()
            if self.knobs.is5() and not container["persistent"]:
                lock = self._restart_for_remount(container, lock)
        finally:
            if lock:
                lock.release()

    def _restart_for_remount(self, container, lock):
        """Restart; returns the lock, or None if a thread releases it."""
        def restart():
            try:
                self.restart(container)
            except WekaError:
                pass    # last_failure has the reason
            finally:
                lock.release()
        if self.knobs["rules.remount_waits"]:
            self.restart(container)
            return lock
        self.phase(container, "stopping", "STOPPING")
        threading.Thread(target=restart, daemon=True).start()
        return None

    def _remount_cores(self, container, request):
        """Up to 4.4: exit status 0 although nothing changed."""
        if not request.asks_cores() or not self.knobs.is5():
            return
        cores = self.check_cores(request, remount=True)
        if request.cores or request.num_cores is not None:
            shape = resources.with_cores(container["stable"], cores)
            self.check_shrink(container, shape)
            container["staged"] = shape

    # ---- umount (#7, #8) -------------------------------------------------
    def umount(self, target, lazy=False, force=False):
        mount = self.find_mount(target)
        if mount is None:
            raise WekaError("umount.wekafs: %s: not mounted" % target,
                            MOUNT_FAILED)
        if self.knobs["faults.umount_lies"]:
            return
        if self.knobs["faults.umount_busy"] and not lazy:
            raise WekaError("umount.wekafs: %s: target is busy." % target,
                            MOUNT_FAILED)
        if mount["kernel"]:
            flags = (MNT_DETACH if lazy else 0) | (MNT_FORCE if force else 0)
            mount["leaving"] = True     # notice_umounts() ignores it
            code = self.kernel.detach(target, flags)
            if code and code != errno.EINVAL:   # EINVAL: was not mounted any more
                mount.pop("leaving", None)
                raise WekaError(
                    "umount.wekafs: %s: %s" % (
                        target, "target is busy." if code == errno.EBUSY
                        else os.strerror(code)), MOUNT_FAILED)
        self._unmounted(mount)

    def _unmounted(self, mount):
        with self.lock:
            if mount not in self.state["mounts"]:
                return
            self.state["mounts"].remove(mount)
            self.kernel.forget(mount)
            self.publish()
        container = self.state["containers"].get(mount["container"])
        if container is None or container["persistent"] \
                or self.mounts_of(container):
            return
        lock = self.operation(container["name"])
        try:
            if not self.mounts_of(container):
                self.remove(container)
        finally:
            lock.release()

    def notice_umounts(self):
        """Find mounts that were removed by umount2(2) without the helper."""
        there = {}
        for target in fuse_targets():
            there[target] = there.get(target, 0) + 1
        gone = []
        with self.lock:
            for mount in self.state["mounts"]:
                if not mount["kernel"] or mount["pending"]:
                    continue
                if there.get(mount["target"], 0) > 0:
                    there[mount["target"]] -= 1
                elif not mount.get("leaving"):
                    gone.append(mount)
        for mount in gone:
            self._unmounted(mount)

    # ---- the agent's part ------------------------------------------------
    def recover(self):
        """After a start of the agent: containers with running processes
        continue; after a reboot the mounts are removed from the state."""
        with self.lock:
            targets = fuse_targets()
            for mount in list(self.state["mounts"]):
                if mount["pending"] or (mount["kernel"] and
                                        mount["target"] not in targets):
                    self.state["mounts"].remove(mount)
                    self.kernel.forget(mount)
                mount.pop("leaving", None)
        known = [row[0] for c in self.state["containers"].values()
                 for row in c["procs"].values()]
        for pid, started in our_processes(self.paths):
            if pid not in known and started:    # the agent ended after the fork
                os.kill(pid, signal.SIGKILL)
        resume = []
        for container in list(self.state["containers"].values()):
            if not container["persistent"] and not self.mounts_of(container):
                self.remove(container)
            elif container["want"] == "running" and (
                    container["phase"] != "READY"
                    or not any(self.alive(container, s)
                               for s in container["procs"])):
                resume.append(container)
        self.publish()
        for container in resume:
            threading.Thread(target=self._resume, args=(container,),
                             daemon=True).start()

    def _resume(self, container):
        lock = self.operation(container["name"])
        try:
            self._down(container)
            self.start(container)
        except WekaError:
            pass    # last_failure has the reason
        finally:
            lock.release()

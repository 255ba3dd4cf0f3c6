"""Compiles and links a mistake beside the build: neither the sources nor the build are touched.

A mutated .cpp is compiled from a copy, a mutated header lies in a folder that the compiler searches
first. What is linked anew goes to a folder of its own, which LD_LIBRARY_PATH names.
"""

import json
import os
import re
import resource
import shutil
import signal
import subprocess

_running = set()  # process groups


def stop_all():
    for group in list(_running):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


_PCH = "tests/CMakeFiles/tern_test_header.dir/cmake_pch.hxx"


def run_limited(command, cwd, cpu, wall, env=None, output=None):
    """Runs `command` in a process group. Returns its status; "time" when it took too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen(command, shell=isinstance(command, str), cwd=cwd, env=env,
                               stdin=subprocess.DEVNULL, stdout=output or subprocess.DEVNULL,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit)
    _running.add(process.pid)
    try:
        status = process.wait(wall)
        return "time" if status in (-signal.SIGXCPU, -signal.SIGKILL) else status
    except subprocess.TimeoutExpired:
        return "time"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
        except ProcessLookupError:
            pass
        process.wait()
        _running.discard(process.pid)


class Build:
    """What ninja knows: who depends on a file, and the commands."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        text = subprocess.run(["ninja", "-t", "compdb"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        self.commands = {edge["output"]: self._plain(edge["command"]) for edge in json.loads(text)}
        self.users = {}  # file -> objects
        text = subprocess.run(["ninja", "-t", "deps"], cwd=folder, check=True,
                              capture_output=True, text=True).stdout
        target = None
        for line in text.splitlines():
            if line and not line.startswith(" "):
                target = line.split(":")[0]
            elif line:
                path = os.path.realpath(os.path.join(folder, line.strip()))
                if path.startswith(root + "/"):
                    self.users.setdefault(os.path.relpath(path, root), []).append(target)

    def _plain(self, command):
        return command.replace(self.folder + "/", "").replace("/./", "/")

    def objects(self, path):
        """The objects of the library, its plugins and the emulated kernels that contain `path`,
        those of its own folder first."""
        own = os.path.dirname(path)
        found = [o for o in self.users.get(path, []) if o.endswith(".o") and (
            not o.startswith(("tests/", "examples/")) or "tern_cuda_emulated" in o
            or "tern_sim_cuda" in o)]

        def distance(name):
            folder = re.sub(r".*(?:unity_|\.dir/)", "", name).replace("-", "/")
            return -len(os.path.commonprefix([folder, own + "/"])), name
        return sorted(found, key=distance)

    def in_tests(self, path):
        """True when test programs see the header `path`."""
        return any(o.startswith(_PCH) for o in self.users.get(path, []))

    def test_objects(self, program, path):
        """The objects of a test program; those that name what `path` is about come first."""
        stem = os.path.splitext(os.path.basename(path))[0]
        name = re.compile(stem + "|" + "".join(part.capitalize() for part in stem.split("_")))

        def mentions(target):
            text = ""
            for user, targets in self.users.items():
                if user.endswith(".cpp") and target in targets:
                    with open(os.path.join(self.root, user), encoding="utf-8") as file:
                        text += user + file.read()
            return -len(name.findall(text)), target
        return sorted(re.findall(r"tests/\S+\.o\b", self.commands[f"bin/{program}"]), key=mentions)


class Trial:
    """One mutated file, compiled and linked in `folder`."""

    def __init__(self, build, folder, path, text):
        self.build, self.folder, self.path = build, folder, path
        shutil.rmtree(folder, ignore_errors=True)
        self.objects, self.made = {}, {}
        # With the old name, so that __FILE__ stays the same.
        original = os.path.join(build.root, path)
        text = f'#line 1 "{original}"\n{text}'
        self.copy = self._write(f"sources/{path}", text)
        self._write(f"include/tern/{path}", text)

    def _write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def _to(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def compile(self, target):
        """Compiles one object with the mistake. Returns whether that worked."""
        command = self.build.commands[target]
        command = command[command.index("ccache ") + 7:] if "ccache " in command else command
        command = re.sub(r"-MD -MT \S+ -MF \S+ ", "", command).replace("-Werror", "-w")
        source = command.rsplit(" ", 1)[1]
        new_source = source
        if self.path.endswith((".cpp", ".cu")):
            original = os.path.join(self.build.root, self.path)
            if "unity_" in source:
                with open(os.path.join(self.build.folder, source), encoding="utf-8") as file:
                    text = file.read().replace(f'"{original}"', f'"{self.copy}"')
                new_source = self._write(f"units/{source}", text)
            else:
                new_source = self.copy
        else:
            command = command.replace(" -I", f" -I{self.folder}/include -I", 1)
            if target.startswith("tests/") and _PCH in command and not target.endswith(".gch"):
                command = command.replace(_PCH, self.folder + "/" + _PCH)
        output = self._to(target)
        command = command.rsplit(" ", 1)[0].replace(f"-o {target}", f"-o {output}")
        status = run_limited(f"{command} {new_source}", self.build.folder, 300, 1500)
        if status == 0:
            self.objects[target] = output
        return status == 0

    def compile_tests(self, targets):
        """Compiles objects of a test program with the mutated header; they come first in the link,
        so that their inline functions are the ones that run."""
        if not os.path.exists(os.path.join(self.folder, _PCH + ".gch")):
            shutil.copy(os.path.join(self.build.folder, _PCH), self._to(_PCH))
            if not self.compile(_PCH + ".gch"):
                return False
        return all(self.compile(o) for o in targets if o not in self.objects) and self.link()

    def link(self):
        """Links all that the new objects are part of."""
        new = dict(self.objects)
        done = set()
        changed = True
        while changed:
            changed = False
            for output, command in self.build.commands.items():
                if output in done or output.endswith((".gch", ".cxx.o", ".cpp.o", ".cu.o")):
                    continue
                words = command.split(" ")
                if not any(word in new for word in words) or not (
                        output.startswith(("bin/", "lib/", "tern_cpu_"))):
                    continue
                first = [w for w in words if w in new]
                at = next(i for i, w in enumerate(words) if w.endswith(".o") and (
                    "-o" != words[i - 1]))
                rest = [w for w in words if w not in new]
                words = rest[:at] + [new[w] for w in first] + rest[at:]
                path = self._to(output)
                words = [path if w == output else w for w in words]
                if run_limited(" ".join(words), self.build.folder, 120, 600) != 0:
                    return False
                done.add(output)
                self.made[output] = path
                if output.startswith("tern_cpu_"):
                    new[output] = path
                    changed = True
        self._complete()
        return True

    def _complete(self):
        """Beside the new libraries, the others of the build."""
        for place in ("lib", "lib/emulated"):
            source = os.path.join(self.build.folder, place)
            for name in os.listdir(source):
                path = self._to(f"{place}/{name}")
                if os.path.isdir(os.path.join(source, name)) or os.path.lexists(path):
                    continue
                old = os.path.join(source, name)
                if os.path.islink(old):
                    os.symlink(os.readlink(old), path)
                else:
                    os.link(old, path)

    def program(self, name):
        return self.made.get(f"bin/{name}", os.path.join(self.build.folder, "bin", name))

    def environment(self):
        return {"LD_LIBRARY_PATH": os.path.join(self.folder, "lib")}

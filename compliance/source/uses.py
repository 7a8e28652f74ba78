"""Find what a module of Python does besides training, for a reviewer to look at, by kind and line.

Names are resolved by the module's imports, so that an alias of a module or function is recognised. Access by a computed
name is reported as such.
"""

import ast
import functools
import re
from collections.abc import Iterator, Sequence

from compliance.source.module import FOREIGN, Module, Place, literal_name, quoted
from compliance.source.seeds import lines_of
from rules.published import own_files

PROCESS, NETWORK, TEXT = "starts a process", "opens a connection", "runs text as code"
NATIVE, HIDDEN, WEIGHTS = "calls compiled code", "reaches what is not named", "loads weights or pickles"
UNPACK = "unpacks what it holds"
CLOCK, PATCH = "sets a clock or the environment of one", "replaces what a module or an object defines"
WRITES, TELLS = "writes, moves or removes files", "reads what may tell a replay from a run"
LIBRARIES = {  # kind -> imported names, including all below them
    PROCESS: r"subprocess|pty|pexpect|sh|plumbum|fabric|invoke|os\.(system|popen|exec\w+|spawn\w+|posix_spawnp?|fork\w*"
    r"|startfile)|asyncio\.create_subprocess_\w+",
    NETWORK: r"_?socket|socketserver|ssl|http|urllib(?!\.parse\b)|urllib3|ftplib|smtplib|poplib|imaplib|telnetlib"
    r"|xmlrpc|requests|httpx|aiohttp|paramiko|asyncssh|boto3|botocore|s3fs|gcsfs|fsspec|websockets?|zmq|grpc|pycurl|wandb"
    r"|mlflow|huggingface_hub|torch\.hub|asyncio\.(open_connection|open_unix_connection|start_server)",
    TEXT: r"builtins|runpy|code|codeop|marshal|types\.(FunctionType|CodeType)|importlib\.(machinery|util|abc|_\w+)|imp"
    r"|pkgutil|zipimport|site|yaml\.((load|unsafe_load|full_load)(_all)?|C?(Unsafe|Full)?Loader)",
    NATIVE: r"_?ctypes|cffi|_cffi_backend|cppyy|torch\.utils\.cpp_extension|torch\.(ops|classes)|mmap"
    r"|numpy\.ctypeslib|torch\.compiler\.(cpp|load_cache_artifacts)|torch\._(inductor|export)\.aot\w*|pyximport"
    r"|numba\.carray",
    HIDDEN: r"sys\.(modules|settrace|setprofile|_getframe|meta_path|path_hooks)|gc\.(get_\w+)|inspect\.(currentframe"
    r"|stack|getmembers|getattr_static)|operator\.(attrgetter|methodcaller)|atexit|faulthandler|signal\.setitimer"
    r"|importlib\.metadata\.(entry_points|EntryPoints?)|importlib_metadata|pkg_resources|stevedore"
    r"|(torch\.)?multiprocessing\.(shared_memory|managers|Manager|sharedctypes|(Raw)?(Array|Value))|posix_ipc",
    WEIGHTS: r"_?c?[pP]ickle|pickle5|dill|cloudpickle|joblib|shelve|safetensors(?!\.(\w+\.)?save(_file)?$)"
    r"|torch\.(load|package|jit\.load|export\.load|from_file|hub|distributed\.checkpoint)"
    r"|(numpy|cupy|jax\.numpy)\.(load|fromfile|memmap)"
    r"|pandas\.read_pickle|orbax",
    UNPACK: r"base64|binascii|zlib|gzip|bz2|lzma|zipfile|tarfile|codecs",
    CLOCK: r"time\.(clock_settime(_ns)?|tzset)|freezegun|time_machine|libfaketime",
    PATCH: r"unittest\.mock|mock|wrapt|forbiddenfruit|gorilla",
    WRITES: r"os\.(p?writev?|f?truncate|replace|renames?|remove|unlink|link|symlink|rmdir|removedirs|copy_file_range"
    r"|sendfile|splice)|shutil\.(copy\w*|move|rmtree)|fileinput",
    TELLS: r"os\.(environb?|getenvb?)|sys\.(orig_)?argv",
}
LIBRARY = re.compile("|".join(f"(?P<k{i}>({names})(\\..*)?)" for i, names in enumerate(LIBRARIES.values())))
BUILTINS = {"exec": TEXT, "eval": TEXT, "compile": TEXT, "__import__": TEXT, "execfile": TEXT, "globals": HIDDEN}
BUILTINS |= {"locals": HIDDEN, "__builtins__": HIDDEN, "__loader__": HIDDEN, "__spec__": HIDDEN}
METHODS = {  # kind -> methods of any object
    HIDDEN: r"__(dict|globals|builtins|subclasses|getattribute|code|closure|reduce|reduce_ex|import|loader|spec"
    r"|call)__|share_memory_?",
    WEIGHTS: r"from_pretrained|load_from_checkpoint|load_weights|load_model|load_state_dict_from_(url|file)|from_file",
    TEXT: r"exec_module|load_module",
    NATIVE: r"aoti_load_package|load_cache_artifacts",
    UNPACK: r"fromhex|b64decode",
    PROCESS: r"create_subprocess_(exec|shell)",
    WRITES: r"write_(text|bytes)|unlink|rmdir|(sym|hard)link_to",
}
METHOD = re.compile("|".join(f"(?P<k{i}>{names})" for i, names in enumerate(METHODS.values())))
WRITERS = re.compile(  # of logs; reported if they are read without being called: a class may be derived from them
    r"benchmark\.(run\.)?log(\.(LogWriter|Handler|RunLog))?|mlperf_logging\.(\w+\.)*MLLogger\w*"
)
PASSED = re.compile(  # modules that can do all of this; reported if they are passed on under another name
    r"os|sys|builtins|importlib(\.\w+)?|time|datetime|random|torch(\.random|\.cuda)?|numpy(\.random)?|jax(\.random)?"
    r"|tensorflow|cupy"
)
SETTINGS = re.compile(r"torch\.(backends|autograd)\.|matplotlib\.|sys\.(path|stdout|stderr|argv)$")  # may be set
TELLING = re.compile(r"LD_PRELOAD|LD_LIBRARY_PATH|PYTHONHASHSEED|PYTHONSTARTUP|(?i:faketime)|clock_settime")
OPENS = re.compile(r"(.+\.)?(fd)?open")  # functions and methods that open a file
READS = re.compile(r"[rbtU]*")  # modes in which a file is only read
REACHES = ("getattr", "setattr", "delattr", "vars")
STARTS_ITSELF = ("sitecustomize", "usercustomize")  # modules that Python loads at its start
STANDS_FOR = ("random", "time", "datetime", "os", "secrets", "hashlib", "torch", "numpy", "mlperf_logging")
SCRIPTS = {  # kind -> words in lines of settings and shell scripts
    NETWORK: r"(curl|wget|scp|rsync|ssh|netcat|nc)\s|git\s+clone|(pip3?|conda|apt|apt-get)\s+install",
    CLOCK: r"LD_PRELOAD|PYTHONHASHSEED|(?i:faketime)|date\s+(-s|--set)|hwclock|timedatectl",
    TEXT: r"eval\s|python3?\s+-c|base64\s+(-d|--decode)|!!python/",
}
SCRIPT = re.compile("|".join(f"(?P<k{i}>(?<![\\w.-])(?:{lines}))" for i, lines in enumerate(SCRIPTS.values())))


def uses_of(module: Module, lines: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return (line, kind, the line's text) of all that a reviewer must look at, each kind once a line."""
    found = {*_imports(module), *_names(module), *_calls(module), *_patches(module)}
    texts = ((line, text) for line, text, _ in module.literals if isinstance(text, str))
    found |= {(line, CLOCK) for line, text in texts if len(text) < 10_000 and TELLING.search(text)}
    return [(line, kind, quoted(lines, line)) for line, kind in sorted(found)]


def uses_of_script(name: str, text: str) -> list[tuple[int, str, str]]:
    """Return the same for a file of settings or a shell script."""
    found = ((number, line, SCRIPT.search(line)) for number, line in lines_of(name, text))
    return [(number, _kind(match, SCRIPTS), quoted([line], 1)) for number, line, match in found if match]


def use_of_name(parts: tuple[str, ...]) -> str:
    """Return what a module does by its name alone, "" if nothing."""
    if not parts[-1].endswith(".py"):
        return ""
    stem = parts[-2] if parts[-1] == "__init__.py" else parts[-1].removesuffix(".py")
    if stem in STARTS_ITSELF:
        return "a module that Python runs by itself"
    return f"a module that may be loaded in place of {stem}" if stem in STANDS_FOR else ""


def kind_of(name: str, imported: bool) -> str:
    """Return the kind of use of a full name, "" if it is none."""
    if not imported and name in BUILTINS:
        return BUILTINS[name]
    if imported and (match := LIBRARY.fullmatch(name)):
        return _kind(match, LIBRARIES)
    methods = filter(None, map(METHOD.fullmatch, name.split(".")[1:]))
    return next((_kind(match, METHODS) for match in methods), "")


def _kind(match: re.Match[str], kinds: dict[str, str]) -> str:
    return list(kinds)[next(int(name[1:]) for name, value in match.groupdict().items() if value is not None)]


def _imports(module: Module) -> Iterator[tuple[int, str]]:
    for line, name in module.imported:
        if kind := kind_of(name, True):
            yield line, kind
        elif name.endswith(".*") and PASSED.fullmatch(name[:-2]):
            yield line, HIDDEN


def _names(module: Module) -> Iterator[tuple[int, str]]:
    """Yield the uses of names that are called, or read without being called."""
    examined = {  # whose attributes a call reads; `_calls` judges their names
        id(call.args[0])
        for call, _ in module.calls
        if call.args and isinstance(call.func, ast.Name) and call.func.id in (*REACHES, "hasattr")
    }
    for node, _ in module.reads:
        name, imported = module.full(node)
        kind = kind_of(name, imported)
        if not kind and imported and id(node) not in examined and (PASSED.fullmatch(name) or _is_module(module, name)):
            kind = HIDDEN
        if not kind and imported and WRITERS.fullmatch(name):
            kind = PATCH
        if kind:
            yield node.lineno, kind
    for call, _ in module.calls:
        if kind := kind_of(*module.full(call.func)):
            yield call.lineno, kind


def _is_module(module: Module, name: str) -> bool:
    """Return whether an imported name is that of a module. A relative one is looked up by its end."""
    return name in module.modules or name.lstrip(".") in _own_modules()


@functools.cache
def _own_modules() -> frozenset[str]:
    """Return the names of the published modules, from each of the packages on the way to them."""
    paths = (
        path.removesuffix(".py").removesuffix("/__init__").split("/") for path in own_files() if path[-3:] == ".py"
    )
    return frozenset(".".join(parts[depth:]) for parts in paths for depth in range(len(parts)))


def _calls(module: Module) -> Iterator[tuple[int, str]]:
    """Yield the calls whose arguments say what they reach, such as `getattr` and `import_module`."""
    for call, scope in module.calls:
        if isinstance(call.func, ast.Name) and call.func.id in REACHES:
            yield from _reached(module, call, call.func.id)
        if isinstance(call.func, ast.Attribute) and call.func.attr.strip("_") in ("setattr", "delattr"):
            yield from _set_by_method(module, call, call.func, scope)
        if _writes(module, call):
            yield call.lineno, WRITES
        if module.full(call.func)[0].rpartition(".")[2] == "import_module" and call.args:
            literal = getattr(call.args[0], "value", None) if isinstance(call.args[0], ast.Constant) else None
            if kind := kind_of(literal, True) if isinstance(literal, str) else HIDDEN:
                yield call.lineno, kind
        if any(k.arg == "pretrained" and getattr(k.value, "value", None) is not False for k in call.keywords):
            yield call.lineno, WEIGHTS


def _reached(module: Module, call: ast.Call, name: str) -> Iterator[tuple[int, str]]:
    of, imported = module.full(call.args[0]) if call.args else ("", False)
    if name == "vars":
        if imported:
            yield call.lineno, HIDDEN
        return
    literal = len(call.args) > 1 and isinstance(call.args[1], ast.Constant)
    if not literal:
        yield call.lineno, HIDDEN
    elif name == "getattr" and (kind := kind_of(f"{of}.{literal_name(call)}", imported)):
        yield call.lineno, kind
    elif name != "getattr" and imported:
        yield call.lineno, PATCH


def _set_by_method(module: Module, call: ast.Call, method: ast.Attribute, scope: int) -> Iterator[tuple[int, str]]:
    """Yield a call such as `object.__setattr__(x, "name", 1)` or `x.__setattr__("name", 1)`, unless it sets a field of
    the method's own instance that it names."""
    unbound = len(call.args) > (2 if "set" in method.attr else 1)
    target, *others = call.args if unbound else [method.value, *call.args]
    if not others or not isinstance(others[0], ast.Constant):
        yield call.lineno, HIDDEN
    elif not isinstance(target, ast.Name) or module.place(ast.Attribute(target, "_"), scope) == (FOREIGN, "._"):
        yield call.lineno, PATCH


def _writes(module: Module, call: ast.Call) -> bool:
    """Return whether a call opens a file otherwise than to read it, or is `path.replace(other)` or a rename."""
    name, imported = module.full(call.func)
    method = isinstance(call.func, ast.Attribute) and not imported
    if method and name.rpartition(".")[2] in ("replace", "rename"):
        return len(call.args) == 1 and not call.keywords
    if not OPENS.fullmatch(name) or (imported and name not in ("io.open", "os.fdopen")):
        return False
    modes = [word.value for word in call.keywords if word.arg == "mode"] or call.args[0 if method else 1 :][:1]
    return any(not isinstance(mode, ast.Constant) or not READS.fullmatch(str(mode.value)) for mode in modes)


def _patches(module: Module) -> Iterator[tuple[int, str]]:
    """Yield the lines that set attributes of imported modules: another clock, metric or log."""
    for node, scope in module.sets:
        name, imported = module.full(node)
        place = module.place(node, scope)
        if (
            imported
            and place
            and place[0] == FOREIGN
            and not SETTINGS.match(name)
            and not _without_bytecode(module, name, place)
        ):
            yield node.lineno, PATCH


def _without_bytecode(module: Module, name: str, place: Place) -> bool:
    """Return whether a module sets only that Python loads no cached bytecode."""
    values = [bound.value for bound in module.bound[place]]
    nowhere = (isinstance(value, ast.Attribute) and module.full(value) == ("os.devnull", True) for value in values)
    return name == "sys.pycache_prefix" and all(nowhere)

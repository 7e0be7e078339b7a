"""Rules for our code that no linter checks."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import masthead.store
from masthead.store.engine.migrations import versions
from tests.support.account_scope import unbound_tables
from tests.support.cases import for_each

ROOT = Path(__file__).parent.parent
STORE = ROOT / "masthead" / "store"
MIGRATIONS = STORE / "engine" / "migrations"
MODULES = sorted((ROOT / "masthead").rglob("*.py"))
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
BANNED_NAMES = {"utils", "helpers", "common", "misc", "base", "manager"}

# Functions for data without an account, or used before the account is known
UNSCOPED = {
    "account_deletion.delete_person",
    "account_deletion.is_member",
    "accounts.find_account",
    "accounts.insert_account",
    "accounts.list_accounts",
    "accounts.is_subdomain_taken",
    "background.clock.find_heartbeat",
    "background.clock.find_server_time",
    "background.clock.write_heartbeat",
    "background.idle_accounts.list_with_right_trend",
    "background.idle_accounts.list_without_pass",
    "background.idle_accounts.update_daily_dates",
    "background.idle_accounts.update_trend_days",
    "background.leases.is_held",
    "background.leases.list_leases",
    "background.leases.release_lease",
    "background.leases.take_lease",
    "background.monitoring.count_backlogs",
    "background.monitoring.delete_verified_backup",
    "background.monitoring.find_archive_notes",
    "background.monitoring.find_backup_notes",
    "background.monitoring.sum_accounts",
    "background.monitoring.write_failed_backup",
    "background.monitoring.write_verified_backup",
    "background.outbox.list_due",
    "background.outbox.list_sending",
    "dispatch.files.list_unfinished_files",
    "dispatch.fingerprints.list_marked",
    "engine.at_end.run_to_end",
    "engine.citus.placement.count_nodes",
    "engine.citus.placement.is_distributed",
    "engine.citus.placement.list_misplaced",
    "engine.citus.placement.measure_database",
    "engine.citus.present.read_present",
    "engine.database.connect",
    "engine.database.get_version",
    "engine.database.require_version",
    "engine.moving.backup_files.restore_dump",
    "engine.moving.backup_files.write_snapshot",
    "engine.moving.base_backups.make_base_backup",
    "engine.moving.lines.digest",
    "engine.moving.litestream.restore_moment",
    "engine.moving.places.count_others",
    "engine.moving.places.find_kept_erasures",
    "engine.moving.places.require_one_moment",
    "engine.moving.postgres_target.find_data",
    "engine.moving.postgres_tools.dump",
    "engine.moving.postgres_tools.find_program",
    "engine.moving.postgres_tools.restore",
    "engine.moving.postgres_tools.stream_base_backup",
    "engine.moving.programs.completed",
    "engine.moving.snapshots.connect_for_moving",
    "engine.moving.snapshots.has_table",
    "engine.moving.snapshots.oldest_user_of",
    "engine.moving.snapshots.require_usable",
    "engine.moving.snapshots.sum_writes",
    "engine.moving.snapshots.version_of",
    "engine.postgres.database.connect",
    "engine.postgres.maintenance.analyze_grown",
    "engine.postgres.maintenance.vacuum",
    "engine.postgres.migration_locks.repeat",
    "engine.rows.fetch_all",
    "engine.rows.fetch_one",
    "engine.rows.insert_row",
    "engine.table_columns.list_columns",
    "exports.archives.list_waiting",
    "exports.archives.list_old",
    "identity.known_browsers.delete_browsers",
    "identity.known_browsers.delete_old",
    "identity.known_browsers.delete_oldest",
    "identity.known_browsers.is_known",
    "identity.known_browsers.replace_digest",
    "identity.known_browsers.upsert_browser",
    "identity.login_throttling.count_failures",
    "identity.login_throttling.delete_failures",
    "identity.login_throttling.delete_future_failures",
    "identity.login_throttling.delete_old_failures",
    "identity.login_throttling.lock_failures",
    "identity.login_throttling.take_back_failures",
    "identity.login_throttling.update_failures",
    "identity.one_time_links.copy_link",
    "identity.one_time_links.delete_links",
    "identity.one_time_links.delete_old_links",
    "identity.one_time_links.find_invitation",
    "identity.one_time_links.find_link",
    "identity.one_time_links.insert_link",
    "identity.one_time_links.take_link",
    "identity.passkeys.delete_old_challenges",
    "identity.passkeys.delete_passkey",
    "identity.passkeys.delete_passkeys",
    "identity.passkeys.find_handle",
    "identity.passkeys.find_passkey",
    "identity.passkeys.insert_challenge",
    "identity.passkeys.insert_handle",
    "identity.passkeys.insert_passkey",
    "identity.passkeys.list_passkeys",
    "identity.passkeys.take_challenge",
    "identity.passkeys.update_name",
    "identity.passkeys.update_used",
    "identity.people.find_person",
    "identity.people.get_person",
    "identity.people.lock_person",
    "identity.people.match_or_insert_user",
    "identity.people.update_locale",
    "identity.people.update_name",
    "identity.people.update_password",
    "identity.people.update_shortcuts",
    "identity.pending_sign_ins.count_attempt",
    "identity.pending_sign_ins.delete_old_pendings",
    "identity.pending_sign_ins.delete_pending",
    "identity.pending_sign_ins.delete_pendings",
    "identity.pending_sign_ins.find_pending",
    "identity.pending_sign_ins.insert_pending",
    "identity.recovery_codes.count_codes",
    "identity.recovery_codes.delete_codes",
    "identity.recovery_codes.replace_codes",
    "identity.recovery_codes.take_code",
    "identity.second_factors.delete_second_factors",
    "identity.server_secrets.delete_secret",
    "identity.server_secrets.find_secret",
    "identity.server_secrets.insert_secret",
    "identity.sessions.delete_future_sessions",
    "identity.sessions.delete_old_sessions",
    "identity.sessions.delete_other_sessions",
    "identity.sessions.delete_session",
    "identity.sessions.delete_sessions",
    "identity.sessions.find_session",
    "identity.sessions.insert_session",
    "identity.sessions.list_sessions",
    "identity.sessions.update_confirmed",
    "identity.sessions.update_seen",
    "identity.totp.delete_app",
    "identity.totp.find_app",
    "identity.totp.replace_app",
    "identity.totp.take_step",
    "letters.stages.list_automatic",
    "privacy.erase.begin_overwriting",
    "privacy.erase.end_overwriting",
    "privacy.erasures.list_uncleaned",
    "privacy.erasures.update_cleaned",
    "privacy.retention.list_automatic",
    "sandboxes.clocks.count_sandboxes",
    "events.log.list_accounts_with_old_events",
    "idempotency.list_accounts_with_old_keys",
    "read_model.subscription_json.list_outdated_accounts",
    "reports.trends.list_due",
    "imports.batches.list_unused",
    "imports.batches.list_used",
    "imports.batches.list_command_accounts",
    "imports.batches.list_working",
    "revenue.statements.list_waiting",
    "webhooks.endpoints.list_due_endpoints",
    "users.list_user_accounts",
}


def path_of(path: Path) -> str:
    """A path as the messages of failures name it."""
    return str(path.relative_to(ROOT))


# --- No query without an account -----------------------------------------------------------------


def public_functions() -> dict[str, Callable[..., object]]:
    """The functions of the store that others may call, by path: `identity.totp.find_app`."""
    modules = (
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(masthead.store.__path__, "masthead.store.")
        if not found.ispkg and ".migrations." not in found.name
    )
    return {
        f"{module.__name__.removeprefix('masthead.store.')}.{name}": function
        for module in modules
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


FUNCTIONS = public_functions()
SPEAKING = {name: each for name, each in FUNCTIONS.items() if inspect.iscoroutinefunction(each)}


def test_store_functions_name_their_account() -> None:
    assert len(SPEAKING) > 400
    first = {
        name: list(inspect.signature(SPEAKING[name]).parameters)[:2]
        for name in sorted(SPEAKING.keys() - UNSCOPED)
    }
    expected = (["db", "account_id"], ["tx", "account_id"])
    assert [each for each in first.items() if each[1] not in expected] == []


# Functions that return rows as mappings, and why no struct names their columns
RETURNING_MAPPINGS = {
    "exports.file_rows.list_rows",  # the columns of any table, by position
    "exports.import_rows.list_orders",  # the columns of the format, written by their names
    "privacy.mentions.list_import_rows",  # from here: the columns with texts of any table
    "privacy.mentions.list_later_entries",
    "privacy.mentions.list_later_rows",
    "privacy.mentions.list_texts",
    "privacy.mentions.list_with_pattern",
    "privacy.named_elsewhere.list_texts",
    "privacy.data_subjects.list_subscribers",  # all columns of a table
    "privacy.records.list_rows",
    "subscribers.records.list_searchable_columns",  # search takes rows that are not stored, too
}


def test_the_store_returns_structs() -> None:
    mapping = re.compile(r"(Mapping|dict)\[str, typing\.Any\]")
    found = {
        name
        for name, function in FUNCTIONS.items()
        if mapping.search(str(inspect.signature(function).return_annotation))
    }
    assert found - {"pagination.fetch_page"} == RETURNING_MAPPINGS


def test_store_functions_that_are_not_async_take_no_database() -> None:
    plain = sorted(FUNCTIONS.keys() - SPEAKING.keys())
    assert plain
    taking = [
        name for name in plain if {"db", "tx"} & set(inspect.signature(FUNCTIONS[name]).parameters)
    ]
    assert taking == []


def test_the_list_of_unscoped_functions_is_up_to_date() -> None:
    assert sorted(UNSCOPED - SPEAKING.keys()) == []


def tables_of_accounts() -> set[str]:
    """The tables with a column `account_id`, as created by the migrations."""
    steps = "".join(path.read_text() for path in Path(versions.__path__[0]).glob("*.py"))
    made = re.findall(r"CREATE TABLE (\w+) \((.*?)\n    \)", steps, re.DOTALL)
    return {table for table, columns in made if "account_id " in columns}


TABLES = "|".join(sorted(tables_of_accounts()))
NAMED = re.compile(
    rf"\b(?:FROM|JOIN|UPDATE|INTO) (?P<table>{TABLES})\b"
    r"(?: (?:AS )?(?P<alias>(?!(?:SET|ON|WHERE|ORDER|GROUP|LIMIT|VALUES|RETURNING)\b)\w+))?"
)


def texts_of(node: ast.AST, constants: dict[str, str]) -> Iterator[str]:
    """Every text that a piece of code composes, without the parts known only at run time."""
    text = text_of(node, constants)
    if text is not None:
        yield text
        return
    for child in ast.iter_child_nodes(node):
        yield from texts_of(child, constants)


def text_of(node: ast.AST, constants: dict[str, str]) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return constants.get(name)
        case ast.JoinedStr(values=parts):
            return "".join(text_of(part, constants) or "…" for part in parts)
        case ast.FormattedValue(value=value):
            return text_of(value, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = text_of(left, constants), text_of(right, constants)
            return None if texts == (None, None) else "".join(text or "…" for text in texts)
    return None


@cache
def statements() -> list[tuple[str, str]]:
    return list(_statements())


def _statements() -> Iterator[tuple[str, str]]:
    """Every SQL text of the store that names an account's table, with its function."""
    for path in sorted(set(STORE.rglob("*.py")) - set(MIGRATIONS.rglob("*.py"))):
        constants: dict[str, str] = {}
        for node in ast.parse(path.read_text()).body:
            match node:
                case ast.Assign([ast.Name(id=name)], value) if text := text_of(value, constants):
                    constants[name] = text  # perhaps only a part of a statement
                    continue
            module = ".".join(path.relative_to(STORE).with_suffix("").parts)
            name = f"{module}.{getattr(node, 'name', 'constants')}"
            if name not in UNSCOPED:
                texts = (" ".join(text.split()) for text in texts_of(node, constants))
                yield from ((name, text) for text in texts if NAMED.search(text))


def unrestricted_tables(sql: str) -> list[str]:
    """What a statement takes from tables of accounts without restricting it to one account."""
    found = []
    if (
        sql.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH"))
        and ":account_id" not in sql
    ):
        found.append(":account_id is missing")
    for named in NAMED.finditer(sql):
        table, alias = named["table"], named["alias"]
        column = rf"\b{alias}\.account_id\b" if alias else rf"(?<![.\w])({table}\.)?account_id\b"
        if not re.search(column, sql):
            found.append(named[0])
    return found + [str(table) for table in unbound_tables(sql)]  # in the same SELECT, too


def test_statements_restrict_every_table_to_one_account() -> None:
    found = [(name, table, sql) for name, sql in statements() for table in unrestricted_tables(sql)]
    assert found == []
    assert len(statements()) > 40


@pytest.mark.parametrize(
    "sql, table",
    [
        ("SELECT id FROM issue WHERE number = 1", ":account_id is missing"),
        ("SELECT id FROM issue WHERE account = :account_id", "issue"),
        (
            "SELECT 1 FROM issue AS i JOIN copy AS c ON c.issue_id = i.id"
            " WHERE i.account_id = :account_id",
            "JOIN copy AS c",
        ),
    ],
)
def test_a_statement_that_is_not_restricted_is_found(sql: str, table: str) -> None:
    assert table in unrestricted_tables(sql)


def calls(name: str) -> set[str]:
    """The modules that call a function of this name, in any other module."""
    call = re.compile(rf"(?<!def )\b{name}\(")
    return {
        str(path.relative_to(ROOT / "masthead"))
        for path in MODULES
        if call.search(path.read_text())
    }


@pytest.mark.parametrize("name", ["insert_account_user", "update_accepted", "delete_account_user"])
def test_users_join_and_leave_accounts_where_their_links_end(name: str) -> None:
    assert calls(name) == {"services/identity/memberships.py"}


# --- Downloads -----------------------------------------------------------------------------------

# Commands use these: what they yield is used at once
YIELDING_WITH_CONNECTION = {"services/check/accounts.py", "services/check/clock.py"}


def yields_with_connection(source: str) -> bool:
    """Whether a generator yields while it holds a connection or a snapshot of the database."""
    blocks = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.AsyncWith)]
    return any(
        ".read(" in ast.unparse(item.context_expr)
        and any(isinstance(each, ast.Yield) for each in ast.walk(block))
        for block in blocks
        for item in block.items
    )


def test_no_download_holds_a_connection_while_its_client_is_slow() -> None:
    assert yields_with_connection("async def f():\n async with db.read() as c:\n  yield c")
    found = {
        str(path.relative_to(ROOT / "masthead"))
        for layer in ("api", "web", "services")
        for path in (ROOT / "masthead" / layer).rglob("*.py")
        if "yield" in (source := path.read_text()) and yields_with_connection(source)
    }
    assert found == YIELDING_WITH_CONNECTION


# --- Processes -----------------------------------------------------------------------------------

# What starts each kind of process; these drain it, limit its time and wait for its end
STARTING_PROCESSES = {
    "store/engine/moving/programs.py",  # programs of others
    "supervision.py",  # tasks of masthead, in processes of their own
    "serving/supervisor.py",  # the workers
    # masthead itself, for one file
    "services/imports/workbook.py",
    "services/imports/work/reader_process.py",
    "services/child_process.py",
}
_STARTS = re.compile(
    r"subprocess\.(run|call|check_call|check_output|getoutput|getstatusoutput|Popen)"
    r"|\w+\.(create_)?subprocess_(exec|shell)"
    r"|os\.(fork|forkpty|system|popen|posix_spawn|posix_spawnp|exec[lv]\w*|spawn[lv]\w*)"
    r"|pty\.(fork|spawn)|multiprocessing(\.\w+)*|concurrent\.futures\.ProcessPoolExecutor"
)


def starts_process(source: str) -> bool:
    """Whether a module names what starts a process; a type, such as `Popen[bytes]`, does not."""
    tree = ast.parse(source)
    types = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Subscript)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and id(node) not in types:
            names = [ast.unparse(node)]
        if any(map(_STARTS.fullmatch, names)):
            return True
    return False


@pytest.mark.parametrize(
    "source, starts",
    [
        ("asyncio.to_thread(subprocess.run, ['psql'])", True),
        ("from subprocess import Popen", True),
        ("await asyncio.create_subprocess_shell('psql')", True),
        ("loop.subprocess_exec(Protocol, 'psql')", True),
        ("import multiprocessing", True),
        ("os.execvp('psql', [])", True),
        ("def stop(process: subprocess.Popen[bytes]) -> None: process.kill()", False),
        ("stdin=subprocess.PIPE", False),
    ],
)
def test_a_module_that_starts_a_process_is_found(source: str, starts: bool) -> None:
    assert starts_process(source) is starts


def test_no_other_code_starts_a_process() -> None:
    may_start = re.compile(r"\b(subprocess|os|pty|multiprocessing|ProcessPoolExecutor|asyncio)\b")
    found = {
        path_of(path)
        for path in MODULES
        if may_start.search(source := path.read_text()) and starts_process(source)
    }
    assert found <= {f"masthead/{name}" for name in STARTING_PROCESSES}


# --- No module that nobody uses ------------------------------------------------------------------

# Loaded by their names: the server, its processes, traces, and the writer of each format
LOADED_BY_NAME = {
    "masthead.__main__",
    "masthead.api.monitoring.traces",
    "masthead.app",
    "masthead.background.webhooks.listen",
    "masthead.background.webhooks.process",
    "masthead.serving.supervisor",
    *(
        f"masthead.services.dispatch.writers.{each}_writer"
        for each in ("csv", "pdf", "xlsx", "zip")
    ),
}


@cache
def imports() -> dict[str, set[str]]:
    """The modules of masthead that each of them imports, also within functions."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in MODULES}
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                named = {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
                found[name] |= named & modules.keys()
    return found


def test_every_module_is_imported() -> None:
    imported = set[str]().union(*imports().values())
    unused = {
        name
        for name in imports().keys() - imported
        if not name.endswith(".__init__") and not name.startswith(versions.__name__)
    }
    assert unused == LOADED_BY_NAME


def test_no_modules_import_each_other() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"c"}, "c": {"a"}}).prepare()
    TopologicalSorter(imports()).prepare()  # raises CycleError, which names a circle


# --- What files may contain ----------------------------------------------------------------------


# What runs in the threads that all requests share: it waits for a process, a thread or the disk.
# Work on files has its own processes, or threads if it takes milliseconds, and pages are rendered
# in threads of their own.
SHARED_THREADS = {
    "background/cleanup.py": "deletes folders",
    "background/dispatch_files.py": "waits for a process",
    "background/process_jobs.py": "waits for a process",
    "cli/imports/plans.py": "in the process of a command",
    "background/webhooks/job.py": "waits for its process at the end",
    "cli/imports/import_file.py": "in the process of a command",
    "services/dispatch/file_builds.py": "in the process that builds a file",
    "services/exports/archives.py": "in the process that writes an export",
    "services/imports/work/run_batch.py": "in the process of a command",
    "services/imports/work/likely.py": "in the process of an import",
    "services/imports/work/page_batches.py": "in the process of an import",
    "services/moving/restores.py": "in the process of a command",
    "services/moving/verify.py": "in the process of a command",
    "store/engine/moving/postgres_target.py": "in the process of a command",
    "store/engine/moving/recovery.py": "in the process of a command",
    "store/engine/sqlite/database.py": "reads and deletes files of the database",
    "store/engine/sqlite/writer.py": "waits for threads at the end",
    "web/kit/rendering.py": "looks for templates to compile, at the start",
}


FILE_THREADS = {
    "api/openapi/docs.py": "compresses each file once, in 0.1 seconds",
    "services/child_process.py": "work on small files",
    "services/imports/batches.py": "hashes a file, which releases the lock of Python",
    "services/imports/work/stored_files.py": "copies a part of a file",
    "services/pictures.py": "reads the size of a picture",
    "services/xlsx_tables.py": "writes 200 rows of a workbook",
    "web/kit/attachments.py": "reads 64 kB of a file",
    "web/kit/form_data.py": "stores a megabyte of an upload",
    "web/renewals/downloads.py": "makes some rows of a file",
    "web/returns/carrier_files.py": "writes an upload, and reads some lines",
}


def test_no_request_works_in_the_threads_that_all_share() -> None:
    assert calls("to_thread") == set(SHARED_THREADS)
    assert calls(r"run_in_executor\(None, ") == set()
    assert calls("run_in_file_thread") == set(FILE_THREADS)


def test_a_module_has_at_most_300_lines() -> None:
    assert len(MODULES) > 300
    lengths = {path_of(path): len(path.read_text().splitlines()) for path in MODULES}
    assert [each for each in lengths.items() if each[1] > 300] == []


def test_a_line_of_a_template_has_at_most_200_characters() -> None:
    templates = sorted((ROOT / "masthead" / "web" / "templates").rglob("*.html"))
    assert len(templates) > 200
    found = [
        f"{path_of(path)}:{number}"
        for path in templates
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 200
    ]
    assert found == []


def test_a_class_name_is_used_once() -> None:
    names = Counter(
        name
        for path in MODULES
        for name in re.findall(r"^ *class (\w+)", path.read_text(), re.MULTILINE)
    )
    assert [name for name, count in names.items() if count > 1] == []


REPLACES_FOR_ALL = re.compile(
    r"""setattr\(\s*(?:["'][\w.]*\basyncio\.|asyncio,|["'][\w.]*\btime\.monotonic|time, .monot)"""
)


def test_no_test_replaces_functions_of_asyncio_or_its_clock_for_all_tasks() -> None:
    """The tasks of the service that tests share would call them, too.

    They would end by chance, or sleep until a time that is an hour away.
    """
    assert REPLACES_FOR_ALL.search('monkeypatch.setattr(time, "monotonic", lambda: later)')
    assert REPLACES_FOR_ALL.search('monkeypatch.setattr("masthead.app.time.monotonic", clock)')
    assert REPLACES_FOR_ALL.search('monkeypatch.setattr("masthead.app.asyncio.sleep", wait)')
    assert REPLACES_FOR_ALL.search("monkeypatch.setattr(asyncio, 'sleep', wait)")
    files = [each for each in (ROOT / "tests").rglob("*.py") if each != Path(__file__)]
    assert [each.name for each in files if REPLACES_FOR_ALL.search(each.read_text())] == []


def test_file_names_say_what_the_file_contains() -> None:
    assert not [path for path in MODULES if BANNED_NAMES & {path.stem, path.parent.name}]


def test_no_file_has_the_name_of_its_folder() -> None:
    """`debits/debits.py` says nothing: the rows of a feature are its `records`."""
    files = [*MODULES, *(ROOT / "masthead/web/templates").rglob("*.html")]
    assert [str(path) for path in files if path.stem == path.parent.name] == []


def pins_of(text: str) -> dict[str, Requirement]:
    """The requirements of a lock file, by the name of their package."""
    lines = re.findall(r"^\w.*(?= \\$)", text, re.MULTILINE)
    return {canonicalize_name(pin.name): pin for pin in map(Requirement, lines)}


def missing_extras(pins: dict[str, Requirement]) -> set[str]:
    """The extras that installed packages among the pins ask for, and whose pin lacks them.

    For such an extra, pip before 24 looks for a package of its own: it takes the newest release
    instead of the pinned one, and stops because that has no hash.
    """
    missing = set()
    for name in pins.keys() & {canonicalize_name(each.name) for each in metadata.distributions()}:
        for requirement in map(Requirement, metadata.requires(name) or ()):
            marker, wanted = requirement.marker, canonicalize_name(requirement.name)
            is_needed = marker is None or any(
                marker.evaluate({"extra": extra}) for extra in ("", *pins[name].extras)
            )
            if is_needed and wanted in pins and not requirement.extras <= pins[wanted].extras:
                missing.add(f"{name} asks for {requirement}")
    return missing


@for_each("lock", LOCKS, ids=path_of)
def test_lock_files_pin_each_package_by_hash_and_name_no_index(lock: Path) -> None:
    text = lock.read_text()
    pins = re.split(r"\n(?=\w)", text.replace("\\\n", ""))
    assert pins
    pinned = re.compile(r"[\w.-]+(\[[\w,.-]+\])?==\S+ .*--hash=sha256:\w{64}")
    assert not [pin for pin in pins if not pinned.match(pin)]
    assert not re.search(r"://|^\s*-[ifr]\b|index-url|find-links", text, re.MULTILINE)


@for_each("lock", LOCKS, ids=path_of)
def test_pins_have_the_extras_that_installed_packages_ask_for(lock: Path) -> None:
    assert missing_extras(pins_of(lock.read_text())) == set()


def test_a_pin_without_its_extra_is_found() -> None:
    lock = (ROOT / "requirements" / "dev.txt").read_text()
    [found] = missing_extras(pins_of(lock.replace("coverage[toml]==", "coverage==")))
    assert found.startswith("pytest-cov asks for coverage[toml]")


def test_no_file_contains_the_address_of_a_package_index_or_the_path_of_this_checkout() -> None:
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    told = re.compile(rf"https?://\S+\.(whl|tgz|tar\.gz|deb)\b|{re.escape(str(ROOT))}\b".encode())
    paths = [ROOT / name for name in names.split("\0") if name]
    assert not [path for path in paths if path.is_file() and told.search(path.read_bytes())]

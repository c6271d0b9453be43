"""The embedded PostgreSQL: any path, and every way in which it can be left behind."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from config.services import down
from config.services.errors import ServiceError
from config.services.folders import MAX_SOCKET_BYTES
from config.services.postgres import Cluster
from config.services.programs import Place, start
from config.services.supervisor import Service, Supervisor
from tests.cluster import debian_cluster, temporary_cluster


@contextmanager
def serving(cluster: Cluster, place: Place) -> Iterator[Supervisor]:
    supervisor = Supervisor(place, report=lambda sentence: None)
    try:
        supervisor.start(Service(cluster.program(), cluster.is_ready, cluster.prepare))
        yield supervisor
    finally:
        supervisor.stop()


def write_and_kill(cluster: Cluster, place: Place) -> int:
    """Commit a row, then kill the server with -9 while a backend works; return its process ID."""
    cluster.prepare()
    running = start(cluster.program(), place)
    while not cluster.is_ready():
        time.sleep(0.02)
    cluster.create_database()
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
        running.process.kill()
    running.process.wait()
    return running.process.pid


def read(cluster: Cluster) -> int:
    with psycopg.connect(cluster.url()) as connection:
        row = connection.execute("SELECT answer FROM kept").fetchone()
    assert row
    return int(row[0])


def test_it_recovers_from_kill_9_with_what_was_committed(place: Place):
    cluster = Cluster(place.folder / "postgres")
    write_and_kill(cluster, place)

    with serving(cluster, place):
        assert read(cluster) == 42


def test_its_log_quotes_neither_rows_nor_statements(place: Place):
    cluster = Cluster(place.folder / "postgres")

    with serving(cluster, place), psycopg.connect(cluster.url("postgres")) as connection:
        connection.execute("CREATE TEMPORARY TABLE names (name text PRIMARY KEY)")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO names VALUES ('customer text'), ('customer text')")

    log = (place.log / "postgres.log").read_text()
    assert "duplicate key value" in log
    assert "customer text" not in log


def test_a_lock_file_that_names_a_living_stranger_does_not_stop_it(place: Place):
    cluster = Cluster(place.folder / "postgres")
    killed = write_and_kill(cluster, place)
    lock = cluster.data / "postmaster.pid"
    lock.write_text(lock.read_text().replace(str(killed), str(os.getpid()), 1))

    with serving(cluster, place):
        assert read(cluster) == 42


def test_a_server_left_behind_by_a_killed_supervisor_is_ended_first(place: Place):
    cluster = Cluster(place.folder / "postgres")
    cluster.prepare()
    left = start(cluster.program(), place)
    while not cluster.is_ready():
        time.sleep(0.02)

    with serving(cluster, place) as supervisor:
        assert left.process.wait(timeout=5) == 0
        assert supervisor._running["postgres"][1].process.pid != left.process.pid


def test_a_first_start_that_was_killed_leaves_no_half_made_cluster(place: Place):
    unfinished = place.folder / "postgres.unfinished"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18\n")

    with serving(Cluster(place.folder / "postgres"), place):
        assert not unfinished.exists()


def test_a_path_too_long_for_a_socket_gets_a_short_one(place: Place):
    deep = place.folder / ("d" * MAX_SOCKET_BYTES)
    cluster = Cluster(deep / "postgres")
    folder = cluster.socket_folder
    try:
        with serving(cluster, place):
            assert folder != cluster.data
            assert folder.stat().st_mode & 0o777 == 0o700
            with psycopg.connect(cluster.url("postgres")) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_a_socket_folder_that_others_may_enter_is_refused(place: Place):
    cluster = Cluster(place.folder / ("d" * MAX_SOCKET_BYTES) / "postgres")
    folder = cluster.socket_folder
    folder.mkdir(mode=0o755)
    try:
        with pytest.raises(ServiceError, match="is not this user's alone"):
            cluster.prepare()
    finally:
        folder.rmdir()


def test_a_folder_with_other_files_is_not_touched(place: Place):
    data = place.folder / "postgres"
    data.mkdir()
    (data / "letter.txt").write_text("dear all")

    with pytest.raises(ServiceError, match="holds files but no PostgreSQL data"):
        Cluster(data).prepare()
    assert (data / "letter.txt").read_text() == "dear all"


def test_data_of_another_release_is_told(place: Place):
    data = place.folder / "postgres"
    data.mkdir()
    (data / "PG_VERSION").write_text("12\n")

    with pytest.raises(ServiceError, match="was made by PostgreSQL 12 and this is 18"):
        Cluster(data).prepare()


def test_a_locale_that_is_not_there_is_told(place: Place):
    with pytest.raises(ServiceError, match=r"could not be made: .*locale"):
        Cluster(place.folder / "postgres", locale="xx_XX.UTF-8").prepare()


def test_nobody_else_may_enter_the_data(place: Place):
    cluster = Cluster(place.folder / "postgres")
    with serving(cluster, place), psycopg.connect(cluster.url("postgres")) as connection:
        addresses = connection.execute("SHOW listen_addresses").fetchone()

    assert addresses == ("",)
    assert cluster.data.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(not shutil.which("setpriv"), reason="setpriv (util-linux) is not here")
def test_the_cluster_of_a_killed_test_run_ends_with_it():
    code = """
import time
from tests.cluster import temporary_cluster
with temporary_cluster() as cluster:
    print(cluster.data, flush=True)
    time.sleep(60)
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=down.ROOT
    ) as run:
        assert run.stdout
        cluster = Cluster(Path(run.stdout.readline().strip()))
        assert cluster.is_ready()
        run.send_signal(signal.SIGKILL)

    for _ in range(200):
        if not cluster._processes():
            break
        time.sleep(0.02)
    assert not cluster._processes()
    shutil.rmtree(cluster.data.parent)


def test_a_durable_cluster_keeps_fsync_on():
    with temporary_cluster(durable=True) as cluster, psycopg.connect(cluster.url()) as connection:
        assert connection.execute("SHOW fsync").fetchone() == ("on",)


def test_debian_s_server_has_the_locale_that_was_asked_for():
    with debian_cluster("en_US.UTF-8") as debian:
        if debian.url is None:
            pytest.skip(debian.reason)
        with psycopg.connect(debian.url) as connection:
            collation = connection.execute(
                "SELECT datcollate FROM pg_database WHERE datname = current_database()"
            ).fetchone()
    assert collation == ("en_US.UTF-8",)

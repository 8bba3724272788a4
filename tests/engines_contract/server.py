"""A Sail server of a test's own; it prints where it listens and lives until it is killed, or its starter is gone."""

import os
import sys
import time

from pysail.spark import SparkConnectServer

server = SparkConnectServer("127.0.0.1", 0)
server.start(background=True)
host, port = server.listening_address
sys.stdout.write(f"sc://{host}:{port}\n")
sys.stdout.flush()
starter = os.getppid()
while os.getppid() == starter:
    time.sleep(1)

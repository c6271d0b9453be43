# Everything a developer or an operator types. `make` alone lists it.
.DEFAULT_GOAL := help
.PHONY: help up start down scrub logs test check format openapi bench screenshots environment

python := .venv/bin/python

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  PORT=8000, DATABASE_URL=… and DEMO=off change up and start; ARGS=… goes to test and bench."
	@echo "  docs/operations.md has the whole list."

up: ## Serve in the foreground, with PostgreSQL and demo data; Ctrl-C stops all
	@bin/bootstrap --no-dev --inexact && exec $(python) -m config.services up

start: ## The same in the background; returns once it is ready
	@bin/bootstrap --no-dev --inexact && exec $(python) -m config.services start

down: ## Stop either
	@exec bin/down

scrub: ## Rewrite the database's files, so that erased text is gone from them; after make down
	@bin/bootstrap --no-dev --inexact && exec $(python) -m config.services scrub

logs: ## Follow the logs
	@exec bin/logs

environment: # tools for development beside what the server needs
	@bin/bootstrap

test: environment ## Run the tests in parallel, on a PostgreSQL of their own
	@exec .venv/bin/pytest -n auto $(ARGS)

check: environment ## Format, lint, types, layers, migrations, OpenAPI, deployment settings
	@exec bin/check

format: environment ## Format code and templates, mend what can be mended
	@exec bin/format

openapi: environment ## Write docs/openapi.yaml anew
	@exec bin/openapi

bench: environment ## Measure against floors in the same run
	@exec $(python) -m benchmarks $(ARGS)

screenshots: environment ## Take pictures of every page of the Console into var/screenshots
	@exec $(python) -m tests.cluster $(python) -m tests.browser $(ARGS)

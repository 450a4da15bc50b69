"""The laptop's launcher, which names its settings itself, with those that have a poisonous task."""

import sys

from ireval_site.laptop import serve

its_own = serve.environment_of_all
serve.environment_of_all = lambda options: {**its_own(options), "DJANGO_SETTINGS_MODULE": "benchmarks.faults.settings"}

if __name__ == "__main__":
    sys.exit(serve.main(sys.argv[1:]))

"""The pages of the documents' site: collected, linked and generated. See perf/docs.py."""

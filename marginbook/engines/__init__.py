"""Engines run a rule over data. They know how a row is read, and no algorithm."""

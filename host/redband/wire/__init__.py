"""The host's ends of the protocol: each module is named as its half in redband_core."""

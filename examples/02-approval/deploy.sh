#!/bin/sh
# Where the settings would go live.
cp settings.json live.json

#!/bin/sh
# A real script would deploy the settings here.
cp settings.json live.json

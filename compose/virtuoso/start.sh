#!/bin/sh
# Starts Virtuoso; the first time it makes the database, with VIRTUOSO_PASSWORD for the users dba and dav.
set -eu
cd "$VIRTUOSO_DIR"
mkdir -p db load
if [ ! -e db/virtuoso.db ]; then
  # This run sets the passwords and ends by itself.
  virtuoso-t +foreground +configfile "$VIRTUOSO_INI" \
    +pwdold dba +pwddba "$VIRTUOSO_PASSWORD" +pwddav "$VIRTUOSO_PASSWORD"
fi
unset VIRTUOSO_PASSWORD
exec virtuoso-t +foreground +configfile "$VIRTUOSO_INI"

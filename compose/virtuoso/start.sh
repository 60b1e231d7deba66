#!/bin/sh
# Starts Virtuoso; the first time it makes the database, with VIRTUOSO_PASSWORD for the users dba and dav.
set -eu
# Virtuoso sets another password than the one it is given when that is longer, and says nothing.
if [ "${#VIRTUOSO_PASSWORD}" -gt 20 ]; then
  echo 'VIRTUOSO_PASSWORD must not have more than 20 characters' >&2
  exit 1
fi
cd "$VIRTUOSO_DIR"
mkdir -p db load
if [ ! -e db/virtuoso.db ]; then
  # This run sets the passwords and ends by itself.
  virtuoso-t +foreground +configfile "$VIRTUOSO_INI" \
    +pwdold dba +pwddba "$VIRTUOSO_PASSWORD" +pwddav "$VIRTUOSO_PASSWORD"
fi
unset VIRTUOSO_PASSWORD
exec virtuoso-t +foreground +configfile "$VIRTUOSO_INI"

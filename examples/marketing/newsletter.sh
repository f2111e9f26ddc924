#!/bin/sh
# Whoever writes a café's mails needs no program: this takes in the list of guests as Excel has saved it (guests.csv, with
# semicolons, which are found out, and in Windows-1252, which is not: other code pages have other letters for its bytes), keeps those out who have said no, and writes down who is left.
#
#   sh examples/marketing/newsletter.sh
#
# It can be run again whenever the list has changed. The files are written where you are.
set -eu
export LOYALTY_DATABASE="${LOYALTY_DATABASE:-cafe.db}" LOYALTY_ORGANIZATION=cafe

# Makes the database the first time, and brings it to this release later on.
npx loyalty-kit migrate > /dev/null

# A row that can't be used is told and stops no other; the import then ends with 1.
npx loyalty-kit import "$(dirname "$0")/guests.csv" --encoding windows-1252 --create-tags --tag-separator ", " \
  --map Vorname=firstName --map Nachname=lastName --map E-Mail=email --map Telefon=phone \
  --map Ort=metadata.city --map Gruppe=tags || test $? = 1

npx loyalty-kit segment untag newsletter --filter '{"operator":"AND","conditions":[{"slug":"abgemeldet"}]}'

# Regulars who get no newsletter yet may be asked at the till.
not_yet='{"operator":"AND","conditions":[{"slug":"stammgast"}],"filters":[{"operator":"NOT","conditions":[{"slug":"newsletter"}]}]}'
echo "to be asked: $(npx loyalty-kit segment count --filter "$not_yet")"

# A line of JSON for each, for the program that sends the mails.
npx loyalty-kit segment list --filter '{"operator":"AND","conditions":[{"slug":"newsletter"}]}' > newsletter.ndjson
echo "newsletter: $(grep -c . newsletter.ndjson)"

# All guests, so that Excel opens the file by a click, umlauts and columns as they are.
npx loyalty-kit export --bom --delimiter ";" > guests-for-excel.csv
echo "guests: guests-for-excel.csv"

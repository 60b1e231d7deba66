/** The hits of a search as CSV (RFC 4180), page by page as they are read. */

import Papa from 'papaparse'
import type { Fields } from '../text/json.ts'
import type { SearchQuery } from './addresses.ts'
import type { PageContext } from './context.ts'
import { sharedLicence, textAt } from './record.ts'
import { askedBy, lastHit } from './search-query.ts'

const perPage = 500

/** Fields that the columns are made from. */
const includes = [
  'id',
  'resource',
  'title',
  'description',
  'identifier',
  'language',
  'publisher',
  'catalog',
  'distributions.format',
  'distributions.license',
  'issued',
  'modified',
]

/** Column → its cell. */
const rowOf = (context: PageContext, record: Fields) => ({
  id: textAt(record, 'id'),
  address: textAt(record, 'resource'),
  title: context.plainTitle(record),
  description: context.textOf(record['description'], record)?.text,
  publisher: context.nameOf(record['publisher']),
  catalogue: context.nameOf(record['catalog']),
  formats: context.formatsOf(record).join(' '),
  licence: context.nameOf(sharedLicence(record)),
  issued: textAt(record, 'issued'),
  modified: textAt(record, 'modified'),
})

/** Rows as lines; a spreadsheet takes no cell for a formula. */
const lines = (rows: readonly unknown[]): string =>
  rows.length === 0 ? '' : `${Papa.unparse([...rows], { header: false, escapeFormulae: true })}\r\n`

/** At most 10,000 rows, each a hit; the first row names the columns. Rejects as the search does, before the first row. */
export async function hitsCsv(context: PageContext, query: SearchQuery): Promise<ReadableStream> {
  const pages = pagesOf(context, query)
  const first = await pages.next()
  const all = async function* () {
    yield lines([Object.keys(rowOf(context, {}))]) + (first.value ?? '')
    yield* pages
  }
  return ReadableStream.from(all()).pipeThrough(new TextEncoderStream())
}

async function* pagesOf(
  context: PageContext,
  query: SearchQuery,
): AsyncGenerator<string, undefined> {
  const asked = { ...askedBy(query, context.language), limit: perPage, includes }
  for (let page = 0; page < lastHit / perPage; page += 1) {
    const { records } = await context.find({ ...asked, page })
    yield lines(records.map((record) => rowOf(context, record)))
    if (records.length < perPage) return
  }
}

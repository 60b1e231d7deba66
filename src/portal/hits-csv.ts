/** The hits of a search as CSV (RFC 4180), page by page as they are read. */

import Papa from 'papaparse'
import type { Fields } from '../text/json.ts'
import type { SearchQuery } from './addresses.ts'
import type { PageContext } from './context.ts'
import { hitFields } from './parts/hits.ts'
import { sharedLicence, textAt } from './record.ts'
import { askedBy, lastHit } from './search-query.ts'

const perPage = 500

/** Column → its cell. */
const rowOf = ({ nameOf, textOf, plainTitle, formatsOf }: PageContext, record: Fields) => ({
  id: textAt(record, 'id'),
  address: textAt(record, 'resource'),
  title: plainTitle(record),
  description: textOf(record['description'], record)?.text,
  publisher: nameOf(record['publisher']),
  catalogue: nameOf(record['catalog']),
  formats: formatsOf(record).join(' '),
  licence: nameOf(sharedLicence(record)),
  issued: textAt(record, 'issued'),
  modified: textAt(record, 'modified'),
})

/** Lines of a file; a spreadsheet takes no cell for a formula. */
const linesOf = (rows: readonly object[]): string =>
  rows.map((row) => `${Papa.unparse([Object.values(row)], { escapeFormulae: true })}\r\n`).join('')

/** At most 10,000 rows, each a hit; the first row names the columns. Rejects as the search does, before the first row. */
export async function hitsCsv(context: PageContext, query: SearchQuery): Promise<ReadableStream> {
  const { find, language, signal } = context
  const includes = [...hitFields, 'resource']
  const asked = { ...askedBy(query, language), limit: perPage, includes }
  const read = async (page: number) => (await find({ ...asked, page }, signal)).records
  const first = await read(0)
  async function* lines() {
    yield linesOf([Object.keys(rowOf(context, {}))])
    for (let page = 1, records = first; ; page += 1, records = await read(page - 1)) {
      yield linesOf(records.map((record) => rowOf(context, record)))
      if (records.length < perPage || page * perPage >= lastHit) return
    }
  }
  return ReadableStream.from(lines()).pipeThrough(new TextEncoderStream())
}

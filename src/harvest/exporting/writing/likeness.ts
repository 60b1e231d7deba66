/** By what a dataset may be known in another catalogue: its identifier and its landing page. */

import { dcat, dct } from '../../../rdf/namespaces.ts'
import type { Likeness } from '../../ledger/likenesses.ts'
import { datasetOf } from './graph.ts'
import type { Ready } from './ready.ts'

const identifier = ` <${dct('identifier').value}> "`
const page = ` <${dcat('landingPage').value}> <`

/**
 * Read from plain N-Triples only; a record without an identifier of its own has the one under which it is kept. What other
 * sources may say by chance, such as a number, is none. `node`: of the dataset, where it is known already.
 */
export function likenessOf({
  message: { mediaType, text },
  originalId,
  node = datasetOf(mediaType, text),
}: Pick<Ready, 'message' | 'originalId'> & { readonly node?: string }): Likeness {
  const id = telling((node && between(text, node + identifier, '"')) ?? originalId)
  const shown = node && between(text, node + page, '>')
  const place = shown?.replace(/^https?:\/\//i, '').replace(/\/$/, '')
  return { ...(id !== undefined && { identifier: id }), ...(place && { page: place }) }
}

/** The rest of the first line that begins so, up to a character. */
function between(text: string, start: string, end: string): string | undefined {
  const at = text.startsWith(start) ? 0 : text.indexOf(`\n${start}`) + 1
  if (at === 0 && !text.startsWith(start)) return undefined
  const from = at + start.length
  const until = text.indexOf(end, from)
  return until < 0 ? undefined : text.slice(from, until)
}

const shortest = 6

const telling = (id: string): string | undefined =>
  id.length < shortest || /^[\d\s.:_-]*$/.test(id) ? undefined : id

/** Apache Jena Fuseki, usually on TDB2: one update request is one transaction. */

import { Failure } from '../../errors.ts'
import { updateText } from './update-text.ts'
import type { Dialect, StoreEndpoint, Probed } from './dialect.ts'
import { fidelityOf, integers } from './spelled-values.ts'

// What TDB2 keeps as a value and so gives back in its own spelling (measured with Fuseki 5.6.0).

/** Case of a tag's parts: language lower, script capitalised, region upper (RFC 5646, 2.1.1). */
function isCased(tag: string): boolean {
  if (/^[a-z]+$/.test(tag)) return true
  return /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag)
}

const times = new Set(['dateTime', 'dateTimeStamp', 'date'])

function form(name: string, lexical: string): boolean {
  if (integers.has(name)) return /^(0|-?[1-9]\d*)$/.test(lexical)
  if (name === 'decimal') {
    return /^-?(0|[1-9]\d*)\.(0|\d*[1-9])$/.test(lexical) && lexical !== '-0.0'
  }
  if (name === 'boolean') return lexical === 'true' || lexical === 'false'
  if (name === 'double' || name === 'float') return /^(NaN|INF|-INF)$/.test(lexical)
  if (times.has(name)) return !/\.\d*0(Z|[+-]|$)|-00:00$|^\s|\s$|T24:/.test(lexical)
  return name !== 'string'
}

/** Values that are too large for TDB2's own form, or none of their datatype, are kept as they were written. */
const fusekiFidelity = fidelityOf({ tag: isCased, form, damaged: () => false })

const notice = '##  '
const late = 'Query timed out'

/**
 * Jena ends the text of a query that met its time limit with comments, and calls it a success. A line of their own cannot
 * be part of a value in the formats that we ask for.
 */
function gaveUp(text: string): boolean {
  const end = text.slice(-400).trimEnd()
  const isCut = end.startsWith(notice, end.lastIndexOf('\n') + 1)
  return isCut || (text.length < 100 && text.startsWith(late))
}

async function probe(endpoint: StoreEndpoint): Promise<Probed> {
  await endpoint.ask('ASK {}')
  return { product: await productOf(endpoint) }
}

/** The server's page about itself, which an operator may have closed. */
async function productOf(endpoint: StoreEndpoint): Promise<string> {
  const name = 'Apache Jena Fuseki'
  const url = new URL('/$/server', endpoint.queryEndpoint).href
  try {
    const { status, text } = await endpoint.send({
      url,
      method: 'GET',
      headers: {},
      idempotent: true,
    })
    const version = status === 200 && /"version"\s*:\s*"([\w.-]+)"/.exec(text)?.[1]
    return version ? `${name} ${version}` : name
  } catch (error) {
    if (error instanceof Failure) return name
    throw error
  }
}

export const fuseki: Dialect = {
  name: 'fuseki',
  fidelity: fusekiFidelity,
  sockets: 16,
  // The store has one writer: what waits meanwhile is packed, which is faster than many transactions.
  writers: 1,
  idleMs: 200,
  destroyAfterError: false,
  retryable: ({ status, text }) => status === 503 && !text.startsWith(late),
  // A hundred records with their links and marks.
  fits: ({ graphs, length }) => graphs <= 300 && length <= 2 ** 20,
  land: (edits, endpoint) => endpoint.update(updateText(edits)),
  namesCleared: false,
  stages: false,
  probe,
  // Writers queue inside the store, in the order of their coming.
  settle: (endpoint) => endpoint.update('INSERT DATA {}'),
  gaveUp,
  quads: true,
  union: { graph: 'urn:x-arq:UnionGraph' },
  // Whole seconds: Fuseki takes no notice of others.
  deadline: (ms) => ({ timeout: String(Math.ceil(ms / 1000)) }),
}

/** Dialect of Apache Jena Fuseki, usually on TDB2, where one update request is one transaction. */

import { Failure } from '../../errors.ts'
import { updateText } from './update-text.ts'
import type { Dialect, StoreEndpoint, StoreProperties } from './dialect.ts'
import { fidelityOf, integers } from './spelled-values.ts'

// Values that TDB2 stores by value and returns in its own spelling (measured with Fuseki 5.6.0).

/** Whether a tag has the recommended case: language lower, script capitalised, region upper (RFC 5646, 2.1.1). */
function isCased(tag: string): boolean {
  if (/^[a-z]+$/.test(tag)) return true
  return /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag)
}

const times = new Set(['dateTime', 'dateTimeStamp', 'date'])

function keepsForm(name: string, lexical: string): boolean {
  if (integers.has(name)) return /^(0|-?[1-9]\d*)$/.test(lexical)
  if (name === 'decimal') {
    return /^-?(0|[1-9]\d*)\.(0|\d*[1-9])$/.test(lexical) && lexical !== '-0.0'
  }
  if (name === 'boolean') return lexical === 'true' || lexical === 'false'
  if (name === 'double' || name === 'float') return /^(NaN|INF|-INF)$/.test(lexical)
  if (times.has(name)) return !/\.\d*0(Z|[+-]|$)|-00:00$|^\s|\s$|T24:/.test(lexical)
  return name !== 'string'
}

/** Encoding for TDB2, which keeps values that are too large or invalid for their datatype as they were written. */
const fusekiFidelity = fidelityOf({ keepsTag: isCased, keepsForm, isDamaged: () => false })

const noticePrefix = '##  '
const timeoutText = 'Query timed out'

/**
 * Whether a text ends with Jena's comments about its time limit, which it sends with status 200, or is its message about it. In
 * the requested formats no value can contain such a line.
 */
function isTimeoutNotice(text: string): boolean {
  const end = text.slice(-400).trimEnd()
  const isCut = end.startsWith(noticePrefix, end.lastIndexOf('\n') + 1)
  return isCut || (text.length < 100 && text.startsWith(timeoutText))
}

async function probe(endpoint: StoreEndpoint): Promise<StoreProperties> {
  await endpoint.ask('ASK {}')
  return { product: await productOf(endpoint) }
}

/** Product with the version from the server's information page, to which an operator may deny access. */
async function productOf(endpoint: StoreEndpoint): Promise<string> {
  const name = 'Apache Jena Fuseki'
  const url = new URL('/$/server', endpoint.queryEndpoint).href
  try {
    const { status, text } = await endpoint.send({
      url,
      method: 'GET',
      headers: {},
      isIdempotent: true,
    })
    const version = status === 200 && /"version"\s*:\s*"([\w.-]+)"/.exec(text)?.[1]
    return version ? `${name} ${version}` : name
  } catch (error) {
    if (error instanceof Failure) return name
    throw error
  }
}

/** Dialect of Apache Jena Fuseki. */
export const fuseki: Dialect = {
  name: 'fuseki',
  fidelity: fusekiFidelity,
  sockets: 16,
  // The store has one writer; waiting writes are packed, which is faster than many transactions.
  writers: 1,
  defer: { idleMs: 200, mostMs: 2000 },
  closesAfterError: false,
  isRetryable: ({ status, text }) => status === 503 && !text.startsWith(timeoutText),
  // About a hundred records with their links and marks.
  fitsOneRequest: ({ graphs, length }) => graphs <= 300 && length <= 2 ** 20,
  commit: (edits, endpoint) => endpoint.update(updateText(edits)),
  usesStaging: false,
  probe,
  // Writers queue in the store in order of arrival.
  waitForUpdates: (endpoint) => endpoint.update('INSERT DATA {}'),
  isTimeoutNotice,
  constructsQuads: true,
  union: { graph: 'urn:x-arq:UnionGraph' },
  // Whole seconds, because Fuseki ignores fractions.
  deadline: (ms) => ({ timeout: String(Math.ceil(ms / 1000)) }),
}

/** What the tests of the importer stand on: documents, spools, repositories, time that does not pass. */

import { onTestFinished } from 'vitest'
import { fromLines } from '../../../src/rdf/lines.ts'
import { parse } from '../../../src/rdf/parse.ts'
import { statementWriter } from '../../../src/rdf/lines.ts'
import { Spool } from '../../../src/harvest/importing/cutting/spool.ts'
import type { OpenDocument } from '../../../src/rdf/open-document.ts'
import type { RetryContext } from '../../../src/harvest/export/repository-client.ts'
import {
  repositoryDouble,
  type DoubleOptions,
  type RepositoryDouble,
} from '../../support/repository-double.ts'

const prefixes = `
  @prefix dcat: <http://www.w3.org/ns/dcat#> .
  @prefix dct: <http://purl.org/dc/terms/> .
  @prefix foaf: <http://xmlns.com/foaf/0.1/> .
  @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
  @prefix vcard: <http://www.w3.org/2006/vcard/ns#> .
  @prefix ex: <https://example.org/> .
`

/** Turtle with the usual prefixes in front. */
export const turtle = (text: string): string => prefixes + text

/** A spool that has taken a TriG document whole. */
export async function spooled(text: string): Promise<Spool> {
  const spool = new Spool()
  const quads = await parse(turtle(text), 'trig', { baseIri: 'https://example.org/' })
  spool.add(quads.map(statementWriter()))
  spool.finish()
  return spool
}

/** A source as the importer reads it. */
export function sourceOf(text: string, format: OpenDocument['format'] = 'turtle'): OpenDocument {
  const bytes = new TextEncoder().encode(text)
  return {
    name: 'test',
    format,
    baseIri: 'https://example.org/',
    size: bytes.byteLength,
    bytes: (async function* () {
      for (let at = 0; at < bytes.byteLength; at += 1000) yield bytes.subarray(at, at + 1000)
    })(),
  }
}

/** A repository for the test that asks; it is closed when that test is over. */
export async function openRepository(options: DoubleOptions = {}): Promise<RepositoryDouble> {
  const double = await repositoryDouble(options)
  onTestFinished(() => double.close())
  return double
}

/** Time that passes only when somebody waits, and then at once; it keeps account of the pauses. */
export function quickClock(): RetryContext & { readonly pauses: readonly number[] } {
  const pauses: number[] = []
  let at = 0
  return {
    pauses,
    now: () => at,
    random: () => 1,
    pause: (milliseconds, signal) => {
      signal.throwIfAborted()
      pauses.push(milliseconds)
      at += milliseconds
      return Promise.resolve()
    },
  }
}

/** How many N-Triples lines a body has. */
export const size = (body: string): number => fromLines(body).length

/** Bodies of writes: their size and media type are checked when they come, their syntax when the IRI is known. */

import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import type { AppContext } from '../../http/app.ts'
import type { BodyLimits } from '../../http/body.ts'
import type { Limits } from '../../http/limits.ts'
import { demandText, receiveHeld, receiveRdf, type Held, type Received } from '../../http/rdf.ts'
import { parse, type ParseOptions } from '../../rdf/parse.ts'
import type { Body } from '../writing/dataset-plan.ts'
import { parseText } from '../../rdf/reading/parse-stream.ts'

/** Characters from which on others get their turn while a body is parsed. */
const large = 512 * 1024

const bodyLimits = (limits: Limits): BodyLimits => ({
  bytes: limits.bodyBytes,
  name: 'bodyBytes',
  ratio: limits.bodyRatio,
  idleMs: limits.bodyIdleMs,
})

/** The bytes of a body that may be large. Throws what `receiveHeld` throws. */
export const receivedBytes = (c: AppContext, limits: Limits): Promise<Held> =>
  receiveHeld(c, bodyLimits(limits))

/** Reads the body now, and parses it when the base IRI is there: what is wrong with its syntax is told then, or that it is empty. */
export async function receivedBody(c: AppContext, limits: Limits): Promise<Body> {
  const received = await receiveRdf(c, bodyLimits(limits))
  const { text, format } = received
  let fingerprint: string | undefined
  return {
    length: text.length,
    parse: async (baseIri) => {
      demandText(text)
      return text.length < large
        ? parse(text, format, { baseIri, limits })
        : inTurns(received, { baseIri, limits })
    },
    fingerprint: () => (fingerprint ??= hash('sha256', `${format}\n${text}`, 'base64url')),
  }
}

async function inTurns(
  { text, format }: Received,
  options: ParseOptions,
): Promise<readonly Quad[]> {
  const all: Quad[] = []
  for await (const quads of parseText(text, format, options)) {
    all.push(...quads)
    await setImmediate()
  }
  return all
}

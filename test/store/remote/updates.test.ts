/** What is sent to a store: the text of an update holds the triples that were meant, whatever stands in them. */

import fc from 'fast-check'
import { Parser } from 'sparqljs'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { toLine } from '../../../src/rdf/lines.ts'
import { literal, namedNode, quad } from '../../../src/rdf/terms.ts'
import type { GraphChange } from '../../../src/store/graph-store.ts'
import { fuseki } from '../../../src/store/remote/fuseki.ts'
import { updateText } from '../../../src/store/remote/update-text.ts'
import type { Dialect } from '../../../src/store/remote/dialect.ts'
import { writePlan } from '../../../src/store/remote/writing.ts'
import { linkRule } from '../../../src/store/remote/reading.ts'
import { sparql11 } from '../../../src/store/remote/sparql11.ts'
import { content, isCatalogue } from '../graphs.ts'
import { hostileText } from '../hostile-text.ts'

const graph = 'urn:test:graph'
const runs = Math.max(300, Math.ceil(Number(process.env['FUZZ_STRINGS'] ?? 0) / 20))

/** The update that a dialect would send, or `undefined` when the change is refused or nothing is to be done. */
async function sent(change: GraphChange, dialect: Dialect = fuseki): Promise<string | undefined> {
  const isLink = linkRule(isCatalogue)
  const read = () => Promise.resolve({ lines: new Set<string>(), notes: [] })
  try {
    const { edits } = await writePlan([change], { dialect, isLink, read, isUncertain: () => false })
    return updateText(edits) || undefined
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid-content') return undefined
    throw error
  }
}

type Parsed = {
  readonly updates: readonly {
    readonly updateType?: string
    readonly type?: string
    readonly insert?: readonly Block[]
    readonly delete?: readonly Block[]
  }[]
}
type Block = {
  readonly name?: { readonly value: string }
  readonly triples: readonly { readonly object: { readonly value: string } }[]
}

/** Operations of an update, by the parser, and the values of the objects in our graph. */
function read(text: string) {
  const { updates }: Parsed = JSON.parse(JSON.stringify(new Parser().parse(text)))
  const values = (blocks: readonly Block[] = []) =>
    blocks
      .filter(({ name }) => name?.value === graph)
      .flatMap(({ triples }) => triples.map(({ object }) => object.value))
  return {
    kinds: updates.map(({ updateType, type }) => updateType ?? type),
    inserted: updates.flatMap((update) => values(update.insert)),
    deleted: updates.flatMap((update) => values(update.delete)),
  }
}

const triple = (value: string) =>
  toLine(quad(namedNode('urn:s'), namedNode('urn:p'), literal(value)))

describe('an update', () => {
  it.each([fuseki, sparql11])(
    '[T4] of $name holds hostile literals as literals',
    async (dialect) => {
      const values = fc.uniqueArray(hostileText, { minLength: 1, maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(values, values, async (before, after) => {
          const kept = new Set(before)
          const text = await sent(
            { graph, before: content(before.map(triple)), content: content(after.map(triple)) },
            dialect,
          )
          const { kinds, inserted, deleted } = read(text ?? 'INSERT DATA {}')
          const goes = before.filter((value) => !after.includes(value))
          const comes = after.filter((value) => !kept.has(value))
          expect(new Set(deleted)).toEqual(new Set(goes))
          expect(new Set(inserted)).toEqual(new Set(comes))
          expect(['insert', 'delete'].some((kind) => kinds.includes(kind))).toBe(true)
          expect(kinds.length).toBeLessThanOrEqual(2)
        }),
        { numRuns: runs },
      )
    },
  )

  it('[T4] takes lines, graph names and links only when they are such', async () => {
    const places: ((text: string) => GraphChange)[] = [
      (text) => ({ graph, content: `<urn:s> <urn:p> ${text} .\n` }),
      (text) => ({ graph, content: `<urn:s> <urn:p> <urn:${text}> .\n` }),
      (text) => ({ graph, content: `<urn:s> <urn:p> "${text}" .\n` }),
      (text) => ({ graph, content: `<urn:s> <urn:p> "x"@${text} .\n` }),
      (text) => ({ graph, content: `<urn:s> <urn:p> "x"^^<urn:${text}> .\n` }),
      (text) => ({ graph, content: text }),
      (text) => ({ graph, add: [`<urn:s> <urn:p> "${text}" .`] }),
      (text) => ({ graph, remove: [`<urn:s> <urn:p> <urn:${text}> .`] }),
      (text) => ({ graph: `urn:${text}`, content: '<urn:s> <urn:p> "x" .\n' }),
      (text) => ({ graph: `urn:${text}`, drop: true, before: '<urn:s> <urn:p> "x" .\n' }),
      (text) => ({ graph, content: '', before: `<urn:s> <urn:p> "${text}" .\n` }),
    ]
    await fc.assert(
      fc.asyncProperty(hostileText, fc.constantFrom(...places), async (text, place) => {
        const update = await sent(place(text))
        if (update === undefined) return
        const kinds = new Set(read(update).kinds)
        expect(
          [...kinds].every((kind) => ['insert', 'delete', 'drop'].includes(String(kind))),
        ).toBe(true)
        expect(read(update).kinds.length).toBeLessThanOrEqual(2)
      }),
      { numRuns: runs * 10 },
    )
  })

  it('[T4] holds no quotation mark for those who decode escapes before they parse', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (value) => {
        const text = (await sent({ graph, before: '', content: `${triple(value)}\n` })) ?? ''
        const early = text.replace(/\\u([0-9A-Fa-f]{4})/g, (_, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        )
        expect(read(early).inserted).toEqual([value])
      }),
      { numRuns: runs },
    )
  })

  it.each([
    ['our own bookkeeping', '<urn:s> <urn:cartulary:control#spelling> "x" .\n'],
    ['the sign of an unfinished write', '<urn:s> <urn:cartulary:control#writing> <urn:x> .\n'],
  ])('refuses %s in a graph', async (_, text) => {
    expect(await sent({ graph, content: text })).toBeUndefined()
    const quoted = `<urn:s> <urn:p> "> <urn:cartulary:control#spelling> " .\n`
    expect(await sent({ graph, content: quoted })).toContain('INSERT DATA')
  })

  it('deletes decimals by subject and property, and brings their neighbours back', async () => {
    const decimal = (text: string) =>
      `<urn:s> <urn:p> "${text}"^^<http://www.w3.org/2001/XMLSchema#decimal> .`
    const before = content([decimal('1.5'), triple('stays'), '<urn:s> <urn:q> "x" .'])
    const text = await sent({
      graph,
      before,
      content: content([triple('stays'), '<urn:s> <urn:q> "x" .']),
    })
    expect(text).toContain('DELETE WHERE { GRAPH <urn:test:graph> { <urn:s> <urn:p> ?o } }')
    expect(read(text ?? '').inserted).toEqual(['stays'])
  })
})

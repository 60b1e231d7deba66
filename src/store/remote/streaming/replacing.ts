/** Replaces a graph of any size by one request that holds the difference, with whatever else lands in the same step. */

import { setImmediate } from 'node:timers/promises'
import { ctl, systemGraph } from '../../../rdf/namespaces.ts'
import type { Change } from '../../change.ts'
import { armed, isVague, updateText, vagueText } from '../../fuseki/update-text.ts'
import { prefixOf } from '../../lines.ts'
import { differences } from '../../spool/difference.ts'
import { linesOf } from '../../spool/merging.ts'
import { openScratch, type Scratch } from '../../spool/scratch.ts'
import type { Edit, Fidelity } from '../dialect.ts'
import { noteOf } from '../values/notes.ts'
import type { StreamedBody } from '../../../client/service-exchange.ts'
import type { Spooled } from './download.ts'
import { Noting } from './noting.ts'

/** Parts of the request, on disk. */
type Parts = {
  /** Operations that delete by pattern. */
  readonly vague: Scratch
  readonly removed: Scratch
  readonly added: Scratch
  readonly notesRemoved: Scratch
  readonly notesAdded: Scratch
}

const spelling = `<${ctl('spelling').value}>`

/** Everything of a graph goes, with its notes. */
const clearing = (graph: string): string =>
  `DROP SILENT GRAPH <${graph}> ;\n` +
  `DELETE WHERE { GRAPH <${systemGraph}> { <${graph}> ${spelling} ?note } }`

const partsIn = (directory: string): Parts => ({
  vague: openScratch(directory),
  removed: openScratch(directory),
  added: openScratch(directory),
  notesRemoved: openScratch(directory),
  notesAdded: openScratch(directory),
})

export function closeParts(parts: Parts): void {
  for (const one of Object.values(parts)) one.close()
}

type Sides = {
  readonly graph: string
  readonly before: Pick<Spooled, 'spool' | 'notes'> | undefined
  readonly after: Scratch
}

/** Notes that go and come. */
async function noteParts({ graph, before, after }: Sides, parts: Parts, fidelity: Fidelity) {
  const old = new Set(before?.notes)
  const note = (line: string) => `${armed(noteOf(graph, line))}\n`
  const noting = new Noting(fidelity, (line) => {
    if (!old.delete(line)) parts.notesAdded.append(note(line))
  })
  for (const chunk of after.chunks()) {
    for (const line of linesOf([chunk])) noting.take(line)
    await setImmediate()
  }
  noting.end()
  for (const line of old) parts.notesRemoved.append(note(line))
}

/** Compares, and lays the parts of the request ready; the caller closes them. */
export async function differenceParts(
  sides: Sides,
  fidelity: Fidelity,
  directory: string,
): Promise<Parts> {
  const { before, after } = sides
  const parts = partsIn(directory)
  const sent = (line: string) => `${armed(fidelity.encode(line).line)}\n`
  const isTakingAll = (line: string) => isVague(fidelity.encode(line).line)
  try {
    const olds = before?.spool.sorted() ?? []
    let last = ''
    for (const { removed, added } of differences(olds, linesOf(after.chunks()), isTakingAll)) {
      for (const line of removed) {
        parts.removed.append(sent(line))
        if (!isTakingAll(line) || prefixOf(line) === last) continue
        last = prefixOf(line)
        parts.vague.append(`${vagueText(sides.graph, last)} ;\n`)
      }
      for (const line of added) parts.added.append(sent(line))
      await setImmediate()
    }
    await noteParts(sides, parts, fidelity)
    return parts
  } catch (error) {
    closeParts(parts)
    throw error
  }
}

type Piece = string | Scratch

const bytesOf = (piece: Piece) =>
  typeof piece === 'string' ? Buffer.byteLength(piece) : piece.bytes()

function bodyOf(pieces: readonly Piece[]): StreamedBody {
  return {
    bytes: pieces.reduce((sum, piece) => sum + bytesOf(piece), 0),
    *chunks() {
      for (const piece of pieces) {
        if (typeof piece === 'string') yield piece
        else yield* piece.chunks()
      }
    },
  }
}

/** `WORDS { GRAPH <g> { … } GRAPH <system> { … } } ;`, or nothing. */
function operation(words: string, blocks: readonly (readonly [string, Scratch])[]): Piece[] {
  const full = blocks.filter(([, lines]) => lines.bytes() > 0)
  if (full.length === 0) return []
  const inner = full.flatMap(([graph, lines]): Piece[] => [`GRAPH <${graph}> {\n`, lines, '}\n'])
  return [`${words} {\n`, ...inner, '} ;\n']
}

type Request = {
  readonly graph: string
  /** Absent when the graph is only cleared. */
  readonly parts: Parts | undefined
  /** Everything goes first. */
  readonly isCleared: boolean
  readonly dropped: readonly string[]
  readonly edits: readonly Edit[]
}

/** The request: what goes before what comes. */
export function requestOf({ graph, parts, isCleared, dropped, edits }: Request): StreamedBody {
  const cleared = [...(isCleared ? [graph] : []), ...dropped].map((one) => `${clearing(one)} ;\n`)
  const streamed = parts
    ? [
        parts.vague,
        ...operation('DELETE DATA', [
          [graph, parts.removed],
          [systemGraph, parts.notesRemoved],
        ]),
        ...operation('INSERT DATA', [
          [graph, parts.added],
          [systemGraph, parts.notesAdded],
        ]),
      ]
    : []
  return bodyOf([...cleared, ...streamed, updateText(edits)])
}

/** Drops of other graphs are not read before: they are cleared as they are. */
export const dropsOf = (changes: readonly Change[]) => ({
  dropped: changes.flatMap(({ graph, drop }) => (drop ? graph : [])),
  rest: changes.filter(({ drop }) => !drop),
})

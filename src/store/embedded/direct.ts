/** Writes that come by the two protocols instead of as changes: found out by comparing, and made durable like the rest. */

import { Failure } from '../../errors.ts'
import type { Blobs } from './blobs.ts'
import type { GraphWrite, Update } from './messages.ts'
import { isBroken, normalForm, type Quads } from './quads.ts'
import { settle, type Effect } from './settle.ts'
import { readUpdate } from './touched.ts'

const linesOf = (text: string) => text.match(/[^\n]*\n/g) ?? []

/** Writes a graph as a whole: to this protocol, links are triples like all others. Answers what to do in the index. */
export function putGraph(blobs: Blobs, write: GraphWrite) {
  const { graph } = write
  if (write.does === 'drop') return settle(blobs, { graph, drop: true })
  const fresh = new Set(linesOf(write.text))
  const links = blobs.links(graph)
  if (write.does === 'replace') {
    const remove = links.filter((line) => !fresh.has(`${line}\n`))
    for (const line of links) fresh.delete(`${line}\n`)
    return settle(blobs, { graph, content: [...fresh].sort().join(''), remove })
  }
  for (const line of linesOf(blobs.content(graph) ?? '')) fresh.add(line)
  for (const line of links) fresh.delete(`${line}\n`)
  return settle(blobs, { graph, content: [...fresh].sort().join('') })
}

/** Takes what the index now holds over into the durable copy; lines that stayed keep their spelling. */
function adopt(blobs: Blobs, graph: string, now: ReadonlySet<string>): Effect | undefined {
  const content = linesOf(blobs.content(graph) ?? '')
  const links = blobs.links(graph)
  const stays = new Map<string, string>()
  const removed = new Set<string>()
  for (const line of [...content, ...links.map((link) => `${link}\n`)]) {
    const form = now.has(line) ? line : normalForm(line)
    if (now.has(form)) stays.set(line, form)
    else removed.add(form)
  }
  const known = new Set(stays.values())
  const added = [...now].filter((line) => !known.has(line))
  if (added.length + removed.size === 0) return undefined
  if (added.some((line) => /^_:|> _:\S+ \.\n$/.test(line))) throw new Error('a blank node got in')
  const next = [...content.filter((line) => stays.has(line)), ...added].sort().join('')
  blobs.setContent(graph, next)
  for (const link of links) if (!stays.has(`${link}\n`)) blobs.removeLink(graph, link)
  blobs.tidy(graph)
  if (now.size === 0) return { graph, does: 'drop' }
  return { graph, does: 'change', removed: [...removed].join(''), added: added.join('') }
}

function* allGraphs(blobs: Blobs, quads: Quads): Generator<string> {
  const seen = new Set(blobs.names())
  yield* seen
  if (!seen.has('')) yield ''
  for (const graph of quads.graphs()) if (!seen.has(graph)) yield graph
}

/**
 * Runs any SPARQL 1.1 Update, in the index first because only it knows the outcome, then writes the graphs that differ.
 * Refuses LOAD, SERVICE and whatever would make blank nodes. A throw that is no `Failure` leaves the index ahead of
 * the durable copy: the worker must end and read that copy again.
 */
export function runUpdate(blobs: Blobs, quads: Quads, update: Update, full: boolean): Effect[] {
  const { graphs, adds } = readUpdate(update)
  if (full && adds)
    throw new Failure('store-full', 'The embedded store is full; only removals are taken.')
  try {
    quads.update(update.text, update.baseIri)
  } catch (cause) {
    if (isBroken(cause)) throw cause
    throw new Failure('malformed-query', 'The update was refused by the store.', { cause })
  }
  return blobs.transaction(() => {
    const effects: Effect[] = []
    for (const graph of graphs ?? allGraphs(blobs, quads)) {
      const effect = adopt(blobs, graph, new Set(linesOf(quads.dump(graph))))
      if (effect?.does === 'drop') quads.drop(graph)
      if (effect) effects.push(effect)
    }
    return effects
  })
}

/** Applies changes to the file of the embedded store and derives the effects: lines that its index has to remove and add. */

import type { GraphChange, Written } from '../graph-store.ts'
import type { GraphFile } from './graph-file.ts'
import { hasOtherSpellings, prefixOf, triplesOf } from '../graph-lines.ts'
import type { Quads } from './quads.ts'

/** Work of an index for one change. Texts are whole lines. */
export type Effect = { readonly graph: string } & (
  | { readonly kind: 'load'; readonly text: string }
  | { readonly kind: 'change'; readonly removed: string; readonly added: string }
  | { readonly kind: 'drop' }
)

/** Size of an effect in UTF-16 units: of its lines, or of the name of a dropped graph. */
export const effectSize = (effect: Effect): number => {
  if (effect.kind === 'drop') return effect.graph.length
  return effect.kind === 'load' ? effect.text.length : effect.removed.length + effect.added.length
}

/** Result of a change, and its effect, which is `undefined` when no line changed. */
type AppliedChange = {
  readonly written: Written
  readonly effect: Effect | undefined
  /** Number of added lines minus removed lines. */
  readonly growth: number
}

/** Least number of effects whose additions are loaded at once: a transaction costs more than a small load. */
const leastAtOnce = 8

/**
 * Applies effects to an index. Applying the same effects again, in the same order, changes nothing. Additions are collected, because
 * every dataset of a bulk write adds a link to its catalogue and a mark.
 */
export function applyEffects(quads: Quads, effects: readonly Effect[]): void {
  const additions = new Map<string, string>()
  const load = () => {
    if (effects.length < leastAtOnce) for (const [graph, text] of additions) quads.load(graph, text)
    else if (additions.size > 0)
      quads.loadAll(Array.from(additions, ([graph, text]) => ({ graph, text })))
    additions.clear()
  }
  for (const effect of effects) {
    const { graph } = effect
    if (effect.kind !== 'load' && additions.has(graph)) load()
    if (effect.kind === 'drop') quads.drop(graph)
    else if (effect.kind === 'change' && effect.removed !== '') quads.remove(graph, effect.removed)
    const added =
      effect.kind === 'load' ? effect.text : effect.kind === 'change' ? effect.added : ''
    if (added !== '') additions.set(graph, (additions.get(graph) ?? '') + added)
  }
  load()
}

type LineDifference = { readonly removed: Set<string>; readonly added: Set<string> }

const linesOf = (text: string) => text.match(/[^\n]*\n/g) ?? []

function writeContent(
  file: GraphFile,
  graph: string,
  text: string,
  lineDifference: LineDifference,
): Set<string> {
  const newLines = new Set(triplesOf(text))
  const oldText = file.content(graph) ?? ''
  if (oldText === text) return newLines
  const oldLines = new Set(linesOf(oldText))
  const hasLinks = oldLines.size > 0 && file.hasLinks(graph)
  for (const line of oldLines) {
    if (newLines.has(line) || (hasLinks && file.hasLink(graph, line.slice(0, -1)))) continue
    lineDifference.removed.add(line)
  }
  for (const line of newLines) if (!oldLines.has(line)) lineDifference.added.add(line)
  file.setContent(graph, text)
  return newLines
}

function writeLinks(
  file: GraphFile,
  change: GraphChange,
  lineDifference: LineDifference,
  content: () => Set<string>,
): void {
  for (const link of change.remove ?? []) {
    const line = `${link}\n`
    if (file.removeLink(change.graph, link) && !content().has(line))
      lineDifference.removed.add(line)
  }
  for (const link of change.add ?? []) {
    const line = `${link}\n`
    triplesOf(line)
    if (file.addLink(change.graph, link) && !content().has(line)) lineDifference.added.add(line)
  }
}

// An index may store "1" and "01" as one value: deleting one must not delete the other.
function restoreOtherSpellings(
  file: GraphFile,
  graph: string,
  lineDifference: LineDifference,
  content: () => Set<string>,
): void {
  const prefixes = new Set([...lineDifference.removed].filter(hasOtherSpellings).map(prefixOf))
  if (prefixes.size === 0) return
  for (const line of content()) if (prefixes.has(prefixOf(line))) lineDifference.added.add(line)
  for (const prefix of prefixes) {
    for (const link of file.linksWithPrefix(graph, prefix)) lineDifference.added.add(`${link}\n`)
  }
}

function dropGraph(file: GraphFile, graph: string): AppliedChange {
  const existed = file.has(graph)
  if (!existed) return { written: { graph, existed }, effect: undefined, growth: 0 }
  const lines = file.links(graph).length + linesOf(file.content(graph) ?? '').length
  file.drop(graph)
  return { written: { graph, existed }, effect: { graph, kind: 'drop' }, growth: -lines }
}

/** Writes a new graph, which needs no comparison. */
function loadNewGraph(file: GraphFile, graph: string, text: string): AppliedChange {
  const growth = triplesOf(text).length
  file.setContent(graph, text)
  return { written: { graph, existed: false }, effect: { graph, kind: 'load', text }, growth }
}

/**
 * Writes a change into the file, in a transaction of the caller, and returns its effect. Throws `invalid-content` when a text is not
 * triples without blank nodes, and `too-large`; the caller then rolls back.
 */
export function applyChange(file: GraphFile, change: GraphChange): AppliedChange {
  const { graph } = change
  if (change.drop) return dropGraph(file, graph)
  const existed = file.has(graph)
  if (!existed && change.content && !change.add) return loadNewGraph(file, graph, change.content)
  const lineDifference: LineDifference = { removed: new Set(), added: new Set() }
  const text = change.content
  let lines = text === undefined ? undefined : writeContent(file, graph, text, lineDifference)
  const content = () => (lines ??= new Set(linesOf(file.content(graph) ?? '')))
  writeLinks(file, change, lineDifference, content)
  file.removeIfEmpty(graph)
  const written = { graph, existed }
  const growth = lineDifference.added.size - lineDifference.removed.size
  if (lineDifference.added.size + lineDifference.removed.size === 0)
    return { written, effect: undefined, growth: 0 }
  if (!file.has(graph)) return { written, effect: { graph, kind: 'drop' }, growth }
  if (!existed) {
    return {
      written,
      effect: { graph, kind: 'load', text: [...lineDifference.added].join('') },
      growth,
    }
  }
  restoreOtherSpellings(file, graph, lineDifference, content)
  const effect: Effect = {
    graph,
    kind: 'change',
    removed: [...lineDifference.removed].join(''),
    added: [...lineDifference.added].join(''),
  }
  return { written, effect, growth }
}

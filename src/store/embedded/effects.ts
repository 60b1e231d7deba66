/** A change worked out against the durable copy: what to write there, and which lines the index has to lose and gain. */

import type { Change, Written } from '../graph-store.ts'
import type { GraphFile } from './graph-file.ts'
import { hasTwins, prefixOf, triplesOf } from '../graph-lines.ts'
import type { Quads } from './quads.ts'

/** What an index has to do for one change. Texts are whole lines. */
export type Effect = { readonly graph: string } & (
  | { readonly does: 'load'; readonly text: string }
  | { readonly does: 'change'; readonly removed: string; readonly added: string }
  | { readonly does: 'drop' }
)

/** UTF-16 units. */
export const effectSize = (effect: Effect): number => {
  if (effect.does === 'drop') return effect.graph.length
  return effect.does === 'load' ? effect.text.length : effect.removed.length + effect.added.length
}

type Settled = {
  readonly written: Written
  readonly effect: Effect | undefined
  /** Lines more than before (less, when negative). */
  readonly growth: number
}

/** Brings an index up to date. Doing the same effects again, in the same order, changes nothing. */
export function perform(quads: Quads, effect: Effect): void {
  if (effect.does === 'load') quads.load(effect.graph, effect.text)
  else if (effect.does === 'drop') quads.drop(effect.graph)
  else quads.change(effect.graph, effect.removed, effect.added)
}

/**
 * The same with what is added to a graph put together, because a load of a thousand lines costs an eighth of a thousand loads
 * of one: every dataset of a bulk write adds a link to its catalogue and a mark.
 */
export function gathered(effects: readonly Effect[]): readonly Effect[] {
  const all: Effect[] = []
  const last = new Map<string, number>()
  for (const effect of effects) {
    const place = last.get(effect.graph) ?? -1
    const joint = joined(all[place], effect)
    if (joint) all[place] = joint
    else last.set(effect.graph, all.push(effect) - 1)
  }
  return all
}

function joined(first: Effect | undefined, then: Effect): Effect | undefined {
  if (!first || then.does !== 'change' || then.removed !== '') return undefined
  if (first.does === 'load') return { ...first, text: first.text + then.added }
  return first.does === 'change' ? { ...first, added: first.added + then.added } : undefined
}

type Draft = { readonly removed: Set<string>; readonly added: Set<string> }

const linesOf = (text: string) => text.match(/[^\n]*\n/g) ?? []

function settleContent(file: GraphFile, graph: string, text: string, draft: Draft): Set<string> {
  const next = new Set(triplesOf(text))
  const old = file.content(graph) ?? ''
  if (old === text) return next
  const before = new Set(linesOf(old))
  const linked = before.size > 0 && file.hasLinks(graph)
  for (const line of before) {
    if (next.has(line) || (linked && file.hasLink(graph, line.slice(0, -1)))) continue
    draft.removed.add(line)
  }
  for (const line of next) if (!before.has(line)) draft.added.add(line)
  file.setContent(graph, text)
  return next
}

function settleLinks(
  file: GraphFile,
  change: Change,
  draft: Draft,
  content: () => Set<string>,
): void {
  for (const link of change.remove ?? []) {
    const line = `${link}\n`
    if (file.removeLink(change.graph, link) && !content().has(line)) draft.removed.add(line)
  }
  for (const link of change.add ?? []) {
    const line = `${link}\n`
    triplesOf(line)
    if (file.addLink(change.graph, link) && !content().has(line)) draft.added.add(line)
  }
}

// An index may hold "1" and "01" as one value: deleting the one must not lose the other.
function restoreTwins(
  file: GraphFile,
  graph: string,
  draft: Draft,
  content: () => Set<string>,
): void {
  const prefixes = new Set([...draft.removed].filter(hasTwins).map(prefixOf))
  if (prefixes.size === 0) return
  for (const line of content()) if (prefixes.has(prefixOf(line))) draft.added.add(line)
  for (const prefix of prefixes) {
    for (const link of file.linksUnder(graph, prefix)) draft.added.add(`${link}\n`)
  }
}

function dropped(file: GraphFile, graph: string): Settled {
  const existed = file.has(graph)
  if (!existed) return { written: { graph, existed }, effect: undefined, growth: 0 }
  const lines = file.links(graph).length + linesOf(file.content(graph) ?? '').length
  file.drop(graph)
  return { written: { graph, existed }, effect: { graph, does: 'drop' }, growth: -lines }
}

/** A graph that was not there is not compared with anything. */
function loaded(file: GraphFile, graph: string, text: string): Settled {
  const growth = triplesOf(text).length
  file.setContent(graph, text)
  return { written: { graph, existed: false }, effect: { graph, does: 'load', text }, growth }
}

/**
 * Writes one change into the durable copy (inside a transaction of the caller) and says what follows for the index.
 * `Failure` invalid-content when a text is not ground triples; the caller undoes the transaction's step then.
 */
export function settleChange(file: GraphFile, change: Change): Settled {
  const { graph } = change
  if (change.drop) return dropped(file, graph)
  const existed = file.has(graph)
  if (!existed && change.content && !change.add) return loaded(file, graph, change.content)
  const draft: Draft = { removed: new Set(), added: new Set() }
  const text = change.content
  let lines = text === undefined ? undefined : settleContent(file, graph, text, draft)
  const content = () => (lines ??= new Set(linesOf(file.content(graph) ?? '')))
  settleLinks(file, change, draft, content)
  file.tidy(graph)
  const written = { graph, existed }
  const growth = draft.added.size - draft.removed.size
  if (draft.added.size + draft.removed.size === 0) return { written, effect: undefined, growth: 0 }
  if (!file.has(graph)) return { written, effect: { graph, does: 'drop' }, growth }
  if (!existed) {
    return { written, effect: { graph, does: 'load', text: [...draft.added].join('') }, growth }
  }
  restoreTwins(file, graph, draft, content)
  const effect: Effect = {
    graph,
    does: 'change',
    removed: [...draft.removed].join(''),
    added: [...draft.added].join(''),
  }
  return { written, effect, growth }
}

/** A change taken apart: what is content and what are links, every line checked before anything is sent. */

import { Failure } from '../../../errors.ts'
import { ctl, systemGraph } from '../../../rdf/namespaces.ts'
import type { Change } from '../../change.ts'
import { checkGraph, triplesOf } from '../../lines.ts'
import type { LinkRule } from '../links.ts'

/** Lines without their ends. */
export type Parts = {
  /** The new content; absent = it stays, but for the lines below. */
  readonly content: ReadonlySet<string> | undefined
  /** Lines of the content that go and come by themselves: to know their neighbours, the content has to be read. */
  readonly loose: { readonly remove: readonly string[]; readonly add: readonly string[] }
  readonly links: { readonly remove: ReadonlySet<string>; readonly add: ReadonlySet<string> }
}

const reserved = [ctl('spelling'), ctl('writing')].map(({ value }) => `> <${value}> `)

/** Our own bookkeeping is read beside a graph: nothing that looks like it may stand in one (`Failure` invalid-content). */
export function checkReserved(graph: string, text: string): void {
  if (graph === systemGraph || !reserved.some((mark) => text.includes(mark))) return
  const line = text.split('\n').find((one) => {
    const predicate = one.slice(one.indexOf('> '))
    return reserved.some((mark) => predicate.startsWith(mark))
  })
  if (line === undefined) return
  throw new Failure('invalid-content', 'A triple cannot be stored: its property is reserved.', {
    errors: [{ detail: line.slice(0, 200) }],
  })
}

function checked(graph: string, text: string): string[] {
  checkReserved(graph, text)
  return triplesOf(text).map((line) => line.slice(0, -1))
}

const withEnds = (lines: readonly string[] = []) => lines.map((line) => `${line}\n`).join('')

/** The parts of a change that is no drop; `Failure` invalid-content for anything that is not ground triples. */
export function partsOf(change: Change, isLink: LinkRule): Parts {
  const { graph } = change
  checkGraph(graph)
  const isOurs = (line: string) => isLink(graph, line)
  const apart = (lines: readonly string[]) => Map.groupBy(lines, isOurs)
  const content = change.content === undefined ? undefined : apart(checked(graph, change.content))
  const removed = apart(checked(graph, withEnds(change.remove)))
  const added = apart(checked(graph, withEnds(change.add)))
  return {
    content: content && new Set(content.get(false)),
    loose: { remove: removed.get(false) ?? [], add: added.get(false) ?? [] },
    links: {
      remove: new Set(removed.get(true)),
      add: new Set([...(content?.get(true) ?? []), ...(added.get(true) ?? [])]),
    },
  }
}

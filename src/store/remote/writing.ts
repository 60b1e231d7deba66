/** `write` and `writeEach` of a remote store: lock the graphs, plan the edits, commit them. */

import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { unlessAborted } from '../../workers/condition.ts'
import type { GraphChange, GraphStore, CommitResult, Written } from '../graph-store.ts'
import { checkGraph, isTriple, triplesOf } from '../graph-lines.ts'
import type { Dialect, Edit } from './dialect.ts'
import { contentDifference, noteEdit, rewriteEdits, EditMerger } from './edits.ts'
import type { Content, GraphRequest, LinkRule } from './reading.ts'
import { notesOf } from './spelling-notes.ts'
import { isOutcomeUnknown } from './starting.ts'
import type { KeyedLock } from '../../workers/keyed-lock.ts'

/** Dependencies of writes. */
export type WritingContext = Omit<PlanningContext, 'isUncertain'> & {
  /** Serialises writes of the content of a graph. */
  readonly locks: Pick<KeyedLock, 'run'>
  readonly commit: (edits: readonly Edit[]) => Promise<void>
  readonly readMany: (graphs: readonly string[]) => Promise<ReadonlyMap<string, Content>>
  /** Resolves when no earlier update can still be running. */
  readonly waitForUpdates: () => Promise<void>
}

/** Graphs whose content changes. Only one write at a time may change the content of a graph; links need no lock. */
const contentGraphs = (
  changes: readonly GraphChange[],
  { isLink }: Pick<PlanningContext, 'isLink'>,
): string[] =>
  changes
    .filter(({ graph, content, drop, remove = [], add = [] }) => {
      if (content !== undefined || drop) return true
      return [...remove, ...add].some((line) => !isLink(graph, line))
    })
    .map(({ graph }) => graph)

/** Plans and commits groups, and remembers graphs whose last write had an unknown outcome. */
export class GroupWriter {
  readonly #settings: WritingContext
  readonly #uncertainGraphs = new Set<string>()
  readonly planning: PlanningContext

  constructor(settings: WritingContext) {
    this.#settings = settings
    this.planning = { ...settings, isUncertain: (graph) => this.#uncertainGraphs.has(graph) }
  }

  /** Commits one group; to be called under the locks of its graphs. */
  async commit(
    changes: readonly GraphChange[],
    planning = this.planning,
  ): Promise<readonly Written[]> {
    const graphs = contentGraphs(changes, this.#settings)
    const isUncertain = graphs.some((graph) => this.#uncertainGraphs.has(graph))
    if (isUncertain) await this.#settings.waitForUpdates()
    const { edits, written } = await writePlan(changes, planning)
    try {
      await this.#settings.commit(edits)
    } catch (error) {
      if (isOutcomeUnknown(error)) for (const graph of graphs) this.#uncertainGraphs.add(graph)
      throw error
    }
    if (isUncertain) for (const graph of graphs) this.#uncertainGraphs.delete(graph)
    return written
  }

  /** Commits groups at the same time; needed contents are read together, except for dropped and uncertain graphs. */
  async commitEach(groups: readonly (readonly GraphChange[])[]): Promise<CommitResult[]> {
    const { planning } = this
    const graphsToRead = groups
      .flat()
      .filter((change) => !change.drop && needsContent(change, planning))
      .map(({ graph }) => graph)
      .filter((graph) => !this.#uncertainGraphs.has(graph))
    const contents = await this.#settings.readMany([...new Set(graphsToRead)])
    const read: PlanningContext['read'] = (request) => {
      const content = request.links ? undefined : contents.get(request.graph)
      return content ? Promise.resolve(content) : planning.read(request)
    }
    const commits = groups.map((changes) => this.commit(changes, { ...planning, read }))
    return (await Promise.allSettled(commits)).map((outcome) =>
      outcome.status === 'fulfilled' ? { written: outcome.value } : { failure: outcome.reason },
    )
  }
}

/** `write` and `writeEach` with locks. */
export function createWrites(
  settings: WritingContext,
  writer: GroupWriter,
): Pick<GraphStore, 'write' | 'writeEach'> {
  const inTurn = <T>(
    changes: readonly GraphChange[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ) => {
    const turn = settings.locks.run(contentGraphs(changes, settings), async () => {
      signal?.throwIfAborted()
      return work()
    })
    // The work continues when the signal is aborted, because a request that was sent cannot be withdrawn.
    return signal ? unlessAborted(turn, signal) : turn
  }
  return {
    write: (changes, signal) => inTurn(changes, signal, () => writer.commit(changes)),
    writeEach: (groups, signal) => inTurn(groups.flat(), signal, () => writer.commitEach(groups)),
  }
}

// Plans edits for changes.

/** Dependencies for planning the edits of changes. */
type PlanningContext = {
  readonly dialect: Dialect
  readonly isLink: LinkRule
  readonly read: (request: GraphRequest) => Promise<Content>
  /** Whether `before` of a change must not be trusted, because the outcome of the last write is unknown. */
  readonly isUncertain: (graph: string) => boolean
}

type PlannedEdits = { readonly edits: readonly Edit[]; readonly written: readonly Written[] }

const linesOf = (text: string) => (text === '' ? [] : text.trimEnd().split('\n'))

/** Whether the content of the graph is needed to plan a change. */
const needsContent = (change: GraphChange, { isLink, isUncertain }: PlanningContext): boolean => {
  const { graph, before, content, drop } = change
  if (before !== undefined && !isUncertain(graph)) {
    if (content !== undefined || drop) return false
  } else if (content !== undefined || drop) return true
  return [...(change.remove ?? []), ...(change.add ?? [])].some((line) => !isLink(graph, line))
}

function contentFromHint(
  graph: string,
  before: string,
  { dialect, isLink }: PlanningContext,
): Content {
  const lines = new Set(linesOf(before).filter((line) => !isLink(graph, line)))
  return { lines, notes: [...notesOf(lines, dialect)] }
}

/** Plan of one group; later changes of a graph start from the planned content. */
class Plan {
  readonly #planning: PlanningContext
  readonly #merger = new EditMerger()
  readonly #contents = new Map<string, ReadonlySet<string>>()

  constructor(planning: PlanningContext) {
    this.#planning = planning
  }

  get edits(): readonly Edit[] {
    return this.#merger.edits
  }

  async add(change: GraphChange): Promise<Written> {
    const parts = partsOf(change, this.#planning.isLink)
    const existed = change.drop ? await this.#drop(change) : await this.#change(change, parts)
    return { graph: change.graph, existed }
  }

  async #before(change: GraphChange): Promise<Content> {
    const { graph, before } = change
    const plannedLines = this.#contents.get(graph)
    if (plannedLines)
      return { lines: plannedLines, notes: [...notesOf(plannedLines, this.#planning.dialect)] }
    if (before !== undefined && !needsContent(change, this.#planning)) {
      return contentFromHint(graph, before, this.#planning)
    }
    return this.#planning.read({ graph, links: false })
  }

  async #drop(change: GraphChange): Promise<boolean> {
    const { graph } = change
    const hasHint = change.before !== undefined
    const stored = hasHint
      ? await this.#before(change)
      : await this.#planning.read({ graph, links: true })
    if (stored.lines.size > 0 || hasHint)
      this.#merger.add({ graph, clear: true, remove: new Set(), add: new Set() })
    this.#merger.add(noteEdit(graph, stored.notes, new Set()))
    this.#contents.set(graph, new Set())
    return stored.lines.size > 0
  }

  async #change(change: GraphChange, { content, contentLines, links }: Parts): Promise<boolean> {
    const { graph } = change
    let existed = true
    if (content || contentLines.remove.length + contentLines.add.length > 0) {
      const before = await this.#before(change)
      const after = new Set(content ?? before.lines)
      for (const line of contentLines.remove) after.delete(line)
      for (const line of contentLines.add) after.add(line)
      existed = before.lines.size > 0
      for (const edit of await this.#edits(graph, before, after)) this.#merger.add(edit)
      this.#contents.set(graph, after)
    }
    this.#merger.add({ graph, clear: false, ...links })
    return existed
  }

  async #edits(graph: string, before: Content, after: ReadonlySet<string>) {
    const { dialect, read, isLink } = this.#planning
    const hasBlankNodes = [...before.lines].some((line) => !after.has(line) && !isTriple(line))
    if (!hasBlankNodes) return contentDifference(graph, { before, after }, dialect)
    const stored = await read({ graph, links: true })
    const links = [...stored.lines].filter((line) => isLink(graph, line))
    return rewriteEdits(graph, { stored, after, links }, dialect)
  }
}

/** Plans the edits of a group. Throws `invalid-content` before an update is sent. */
export async function writePlan(
  changes: readonly GraphChange[],
  planning: PlanningContext,
): Promise<PlannedEdits> {
  const plan = new Plan(planning)
  const written: Written[] = []
  for (const change of changes) written.push(await plan.add(change))
  return { edits: plan.edits, written }
}

// Splits changes into content and links, and checks every line before an update is sent.

/** Parts of a change; lines without line ends. */
type Parts = {
  /** New content; `undefined` = it stays, except for the lines below. */
  readonly content: ReadonlySet<string> | undefined
  /** Single lines of the content to be removed and added; other spellings of them require reading the content. */
  readonly contentLines: { readonly remove: readonly string[]; readonly add: readonly string[] }
  readonly links: { readonly remove: ReadonlySet<string>; readonly add: ReadonlySet<string> }
}

const reservedPredicates = [ctl('spelling'), ctl('writing')].map(({ value }) => `> <${value}> `)

/** Throws `invalid-content` for lines with properties of spelling notes and writing marks, which are read together with graphs. */
function checkReserved(graph: string, text: string): void {
  if (graph === systemGraph || !reservedPredicates.some((mark) => text.includes(mark))) return
  const line = text.split('\n').find((candidate) => {
    const predicate = candidate.slice(candidate.indexOf('> '))
    return reservedPredicates.some((mark) => predicate.startsWith(mark))
  })
  if (line === undefined) return
  throw new Failure('invalid-content', 'A triple cannot be stored: its property is reserved.', {
    errors: [{ detail: line.slice(0, 200) }],
  })
}

function checkedLines(graph: string, text: string): string[] {
  checkReserved(graph, text)
  return triplesOf(text).map((line) => line.slice(0, -1))
}

const withEnds = (lines: readonly string[] = []) => lines.map((line) => `${line}\n`).join('')

/** Splits a change. Throws `invalid-content` for anything that is not triples without blank nodes. */
function partsOf(change: GraphChange, isLink: LinkRule): Parts {
  const { graph } = change
  checkGraph(graph)
  const isLinkOfGraph = (line: string) => isLink(graph, line)
  const splitLinks = (lines: readonly string[]) => Map.groupBy(lines, isLinkOfGraph)
  const content =
    change.content === undefined ? undefined : splitLinks(checkedLines(graph, change.content))
  const removed = splitLinks(checkedLines(graph, withEnds(change.remove)))
  const added = splitLinks(checkedLines(graph, withEnds(change.add)))
  return {
    content: content && new Set(content.get(false)),
    contentLines: { remove: removed.get(false) ?? [], add: added.get(false) ?? [] },
    links: {
      remove: new Set(removed.get(true)),
      add: new Set([...(content?.get(true) ?? []), ...(added.get(true) ?? [])]),
    },
  }
}

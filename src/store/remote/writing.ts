/** `write` and `writeEach` of a remote store: lock the graphs, plan, land. */

import { Failure } from '../../errors.ts'
import { ctl, systemGraph } from '../../rdf/namespaces.ts'
import { unlessAborted } from '../../workers/condition.ts'
import type { Change, GraphStore, CommitResult, Written } from '../graph-store.ts'
import { checkGraph, isTriple, triplesOf } from '../graph-lines.ts'
import type { Dialect, Edit } from './dialect.ts'
import { contentDifference, noteEdit, rewriting, Sum } from './edits.ts'
import type { Content, GraphRequest, LinkRule } from './reading.ts'
import { toNote } from './spelling-notes.ts'
import { isDoubtful } from './starting.ts'
import type { KeyedLock } from '../../workers/keyed-lock.ts'

export type WritingContext = Omit<Planning, 'isDoubtful'> & {
  /** Keeps writes of one graph apart. */
  readonly locks: Pick<KeyedLock, 'run'>
  readonly land: (edits: readonly Edit[]) => Promise<void>
  readonly readMany: (graphs: readonly string[]) => Promise<ReadonlyMap<string, Content>>
  /** Waits until no earlier write can still be running. */
  readonly settle: () => Promise<void>
}

/** Graphs that only one write may touch at a time: those whose content it replaces. Links need no turn. */
const contents = (changes: readonly Change[], { isLink }: Pick<Planning, 'isLink'>): string[] =>
  changes
    .filter(({ graph, content, drop, remove = [], add = [] }) => {
      if (content !== undefined || drop) return true
      return [...remove, ...add].some((line) => !isLink(graph, line))
    })
    .map(({ graph }) => graph)

/** Plans and lands single groups, and remembers which graphs nothing was heard of. */
export class Landings {
  readonly #settings: WritingContext
  readonly #doubtful = new Set<string>()
  readonly planning: Planning

  constructor(settings: WritingContext) {
    this.#settings = settings
    this.planning = { ...settings, isDoubtful: (graph) => this.#doubtful.has(graph) }
  }

  /** To be called in the group's turn. */
  async land(changes: readonly Change[], planning = this.planning): Promise<readonly Written[]> {
    const graphs = contents(changes, this.#settings)
    const inDoubt = graphs.some((graph) => this.#doubtful.has(graph))
    if (inDoubt) await this.#settings.settle()
    const { edits, written } = await writePlan(changes, planning)
    try {
      await this.#settings.land(edits)
    } catch (error) {
      if (isDoubtful(error)) for (const graph of graphs) this.#doubtful.add(graph)
      throw error
    }
    if (inDoubt) for (const graph of graphs) this.#doubtful.delete(graph)
    return written
  }

  /** All groups at once; contents that have to be known are read together. */
  async landEach(groups: readonly (readonly Change[])[]): Promise<CommitResult[]> {
    const { planning } = this
    const unknown = groups
      .flat()
      .filter((change) => !change.drop && needsContent(change, planning))
      .map(({ graph }) => graph)
      .filter((graph) => !this.#doubtful.has(graph))
    const known = await this.#settings.readMany([...new Set(unknown)])
    const read: Planning['read'] = (wanted) => {
      const content = wanted.links ? undefined : known.get(wanted.graph)
      return content ? Promise.resolve(content) : planning.read(wanted)
    }
    const all = groups.map((changes) => this.land(changes, { ...planning, read }))
    return (await Promise.allSettled(all)).map((outcome) =>
      outcome.status === 'fulfilled' ? { written: outcome.value } : { failure: outcome.reason },
    )
  }
}

export function writing(
  settings: WritingContext,
  landings: Landings,
): Pick<GraphStore, 'write' | 'writeEach'> {
  const inTurn = <T>(
    changes: readonly Change[],
    signal: AbortSignal | undefined,
    work: () => Promise<T>,
  ) => {
    const turn = settings.locks.run(contents(changes, settings), async () => {
      signal?.throwIfAborted()
      return work()
    })
    // The work goes on when the signal is aborted, because what was sent cannot be called back.
    return signal ? unlessAborted(turn, signal) : turn
  }
  return {
    write: (changes, signal) => inTurn(changes, signal, () => landings.land(changes)),
    writeEach: (groups, signal) => inTurn(groups.flat(), signal, () => landings.landEach(groups)),
  }
}

// From changes to edits: what each graph held, what it shall hold, and which lines that takes.

type Planning = {
  readonly dialect: Dialect
  readonly isLink: LinkRule
  readonly read: (wanted: GraphRequest) => Promise<Content>
  /** Whether the writer's hint of what was there must not be believed. */
  readonly isDoubtful: (graph: string) => boolean
}

type Planned = { readonly edits: readonly Edit[]; readonly written: readonly Written[] }

const linesOf = (text: string) => (text === '' ? [] : text.trimEnd().split('\n'))

/** Whether the content has to be read to plan a change. */
const needsContent = (change: Change, { isLink, isDoubtful }: Planning): boolean => {
  const { graph, before, content, drop } = change
  if (before !== undefined && !isDoubtful(graph)) {
    if (content !== undefined || drop) return false
  } else if (content !== undefined || drop) return true
  return [...(change.remove ?? []), ...(change.add ?? [])].some((line) => !isLink(graph, line))
}

function hinted(graph: string, before: string, { dialect, isLink }: Planning): Content {
  const lines = new Set(linesOf(before).filter((line) => !isLink(graph, line)))
  return { lines, notes: [...toNote(lines, dialect.fidelity)] }
}

/** The changes of one group, one after the other; contents that were worked out are the start of what follows. */
class Plan {
  readonly #planning: Planning
  readonly #sum = new Sum()
  readonly #contents = new Map<string, ReadonlySet<string>>()

  constructor(planning: Planning) {
    this.#planning = planning
  }

  get edits(): readonly Edit[] {
    return this.#sum.edits
  }

  async step(change: Change): Promise<Written> {
    const parts = partsOf(change, this.#planning.isLink)
    const existed = change.drop ? await this.#drop(change) : await this.#change(change, parts)
    return { graph: change.graph, existed }
  }

  async #before(change: Change): Promise<Content> {
    const { graph, before } = change
    const known = this.#contents.get(graph)
    if (known) return { lines: known, notes: [...toNote(known, this.#planning.dialect.fidelity)] }
    if (before !== undefined && !needsContent(change, this.#planning)) {
      return hinted(graph, before, this.#planning)
    }
    return this.#planning.read({ graph, links: false })
  }

  async #drop(change: Change): Promise<boolean> {
    const { graph } = change
    const { dialect, read } = this.#planning
    const hint = change.before !== undefined && !dialect.namesCleared
    const held = hint ? await this.#before(change) : await read({ graph, links: true })
    const remove = new Set(
      dialect.namesCleared
        ? [...held.lines].filter(isTriple).map((line) => dialect.fidelity.encode(line).line)
        : [],
    )
    if (held.lines.size > 0 || hint) this.#sum.put({ graph, clear: true, remove, add: new Set() })
    this.#sum.put(noteEdit(graph, held.notes, new Set()))
    this.#contents.set(graph, new Set())
    return held.lines.size > 0
  }

  async #change(change: Change, { content, loose, links }: Parts): Promise<boolean> {
    const { graph } = change
    let existed = true
    if (content || loose.remove.length + loose.add.length > 0) {
      const before = await this.#before(change)
      const after = new Set(content ?? before.lines)
      for (const line of loose.remove) after.delete(line)
      for (const line of loose.add) after.add(line)
      existed = before.lines.size > 0
      for (const edit of await this.#edits(graph, before, after)) this.#sum.put(edit)
      this.#contents.set(graph, after)
    }
    this.#sum.put({ graph, clear: false, ...links })
    return existed
  }

  async #edits(graph: string, before: Content, after: ReadonlySet<string>) {
    const { dialect, read, isLink } = this.#planning
    const { fidelity } = dialect
    const strange = [...before.lines].some((line) => !after.has(line) && !isTriple(line))
    if (!strange) return contentDifference(graph, { before, after }, fidelity)
    const whole = await read({ graph, links: true })
    const links = [...whole.lines].filter((line) => isLink(graph, line))
    return rewriting(graph, { whole, after: new Set([...after, ...links]) }, fidelity)
  }
}

/** The edits of one group of changes. `Failure` invalid-content before anything is sent. */
export async function writePlan(changes: readonly Change[], planning: Planning): Promise<Planned> {
  const plan = new Plan(planning)
  const written: Written[] = []
  for (const change of changes) written.push(await plan.step(change))
  return { edits: plan.edits, written }
}

// A change taken apart: what is content and what are links, every line checked before anything is sent.

/** Lines without their ends. */
type Parts = {
  /** The new content; absent = it stays, but for the lines below. */
  readonly content: ReadonlySet<string> | undefined
  /** Lines of the content that go and come by themselves: to know their neighbours, the content has to be read. */
  readonly loose: { readonly remove: readonly string[]; readonly add: readonly string[] }
  readonly links: { readonly remove: ReadonlySet<string>; readonly add: ReadonlySet<string> }
}

const reserved = [ctl('spelling'), ctl('writing')].map(({ value }) => `> <${value}> `)

/** Our own bookkeeping is read beside a graph: nothing that looks like it may stand in one (`Failure` invalid-content). */
function checkReserved(graph: string, text: string): void {
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
function partsOf(change: Change, isLink: LinkRule): Parts {
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

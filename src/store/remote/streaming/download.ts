/** A graph of any size out of a store behind a wire: spooled, in our spelling and in order, before anything of it is used. */

import { StringDecoder } from 'node:string_decoder'
import { ctl, systemGraph } from '../../../rdf/namespaces.ts'
import { isTriple } from '../../lines.ts'
import { LineSpool } from '../../spool/line-spool.ts'
import type { Dialect, Door } from '../dialect.ts'
import { readContent, type Reading } from '../reading.ts'
import { linesOf } from '../values/respell.ts'
import type { Sink } from '../../../client/service-exchange.ts'

/** What is in a graph. */
export type Spooled = {
  /** In our spelling. */
  readonly spool: LineSpool
  /** Lines that have a spelling note. */
  readonly notes: readonly string[]
  /** Whether there are triples that cannot be named: blank nodes of a foreign writer. */
  readonly isStrange: boolean
}

export type Download = {
  readonly reading: Reading
  readonly directory: string
  readonly signal: AbortSignal | undefined
}

async function notesOf(graph: string, door: Door, signal: AbortSignal | undefined) {
  const query = `SELECT ?note { GRAPH <${systemGraph}> { <${graph}> <${ctl('spelling').value}> ?note } }`
  const rows = await door.select(query, signal)
  return rows.flatMap(({ note }) => note?.value ?? [])
}

/** Reads lines as they come from the store into a spool; a note stands in for every line of its key. */
class Intake {
  readonly spool: LineSpool
  readonly #dialect: Dialect
  readonly #ours: ReadonlyMap<string, readonly string[]>
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  isStrange = false

  constructor(directory: string, dialect: Dialect, notes: readonly string[]) {
    this.spool = new LineSpool(directory)
    this.#dialect = dialect
    this.#ours = Map.groupBy(notes, (note) => dialect.fidelity.key(note))
  }

  readonly take: Sink['take'] = (part) => {
    const text = this.#rest + this.#decoder.write(part)
    const end = text.lastIndexOf('\n') + 1
    this.#rest = text.slice(end)
    this.add(linesOf(text.slice(0, end)))
  }

  end(): void {
    this.add(linesOf(this.#rest))
    this.#rest = ''
  }

  add(lines: Iterable<string>): void {
    const { fidelity } = this.#dialect
    for (const line of lines) {
      const ours = fidelity.decode(line)
      this.isStrange ||= ours.includes('_:') && !isTriple(ours)
      const spelled = this.#ours.size === 0 ? undefined : this.#ours.get(fidelity.key(ours))
      if (spelled) for (const one of spelled) this.spool.add(one)
      else this.spool.add(ours)
    }
  }
}

/** The whole graph; the caller closes the spool, and sees to it that nobody writes the graph meanwhile. */
export async function spooledGraph(
  graph: string,
  { reading, directory, signal }: Download,
): Promise<Spooled> {
  const { dialect, door } = reading
  if (!door.download) {
    const { lines, notes } = await readContent({ graph, links: true }, reading, signal)
    const intake = new Intake(directory, dialect, [])
    intake.add(lines)
    return { spool: intake.spool, notes, isStrange: intake.isStrange }
  }
  const notes = await notesOf(graph, door, signal)
  let intake = new Intake(directory, dialect, notes)
  const begin = () => {
    intake.spool.close()
    return (intake = new Intake(directory, dialect, notes))
  }
  try {
    await door.download(graph, begin, signal)
    intake.end()
    return { spool: intake.spool, notes, isStrange: intake.isStrange }
  } catch (error) {
    intake.spool.close()
    throw error
  }
}

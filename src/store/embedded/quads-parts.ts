/** Reads the graphs of the file as N-Quads for the index, in parts. */

import { linesIn } from '../graph-lines.ts'
import type { GraphFile } from './graph-file.ts'
import { indexedPart, type StatementRule } from './statement-rule.ts'

/** Bytes of a part, which may be exceeded by one graph. */
const partBytes = 2 ** 20

/** N-Quads of some graphs. */
export type QuadsPart = {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Graphs in their order, with the ends of their lines in `bytes`. */
  readonly graphs: readonly {
    readonly name: string
    readonly end: number
    readonly lines: number
  }[]
  /** Number of lines that were left out since the last part. */
  readonly others: number
  /** Number of graphs that have been read. */
  readonly done: number
}

/** Statements that are read: those of the rule, without one graph. */
export type PartOptions = {
  readonly rule?: StatementRule | undefined
  readonly without?: string
}

/** Bytes of UTF-8 as text of one unit for each: it is decoded, cut and encoded several times as fast as UTF-16. */
const inBytes = (text: string): string => Buffer.from(text).toString('latin1')

const ruleInBytes = (rule: StatementRule): StatementRule => ({
  metrics: inBytes(rule.metrics),
  datasets: inBytes(rule.datasets),
  records: inBytes(rule.records),
  distributions: inBytes(rule.distributions),
  genids: inBytes(rule.genids),
  base: inBytes(rule.base),
})

/** Reads the graphs in parts; the last one may be empty. Graphs without statements for the index are left out. */
export function* quadsParts(file: GraphFile, options: PartOptions): Generator<QuadsPart> {
  const rule = options.rule && ruleInBytes(options.rule)
  let [text, graphs, others, done] = ['', new Array<QuadsPart['graphs'][number]>(), 0, 0]
  const take = (): QuadsPart => {
    const part = { bytes: bytesOf(text), graphs, others, done }
    ;[text, graphs, others] = ['', [], 0]
    return part
  }
  for (const { name, content, links } of file.graphs()) {
    done += 1
    if (name === options.without) continue
    const [graph, added] = [inBytes(name), links.length === 0 ? '' : inBytes(links.join('\n'))]
    const all = content.toString('latin1') + (added === '' ? '' : `${added}\n`)
    const part = indexedPart(rule, graph, all)
    others += part.others
    if (part.text === '') continue
    // Each line ends in ` .`, and no literal contains a line end.
    text += part.text.replaceAll(' .\n', ` <${graph}> .\n`)
    graphs.push({ name, end: text.length, lines: linesIn(part.text) })
    if (text.length >= partBytes) yield take()
  }
  yield take()
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  Buffer.from(bytes.buffer).write(text, 'latin1')
  return bytes
}

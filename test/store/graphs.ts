/** Graphs for tests of stores: names that no other test uses, and contents in our own spelling. */

import { randomUUID } from 'node:crypto'

export const system = 'urn:cartulary:system'

export const graphName = (): string => `urn:test:graph:${randomUUID()}`

const catalogues = 'urn:test:catalogue:'

export const catalogueName = (): string => `${catalogues}${randomUUID()}`

/** What tests open stores with: `catalogueName` and repositories give such graphs. */
export const isCatalogue = (graph: string): boolean =>
  graph.startsWith(catalogues) || graph.startsWith('http://localhost:8080/id/catalogue/')

/** The line by which a catalogue names its n-th dataset. */
export const linkOf = (catalogue: string, n: number): string =>
  `<${catalogue}> <http://www.w3.org/ns/dcat#dataset> <urn:test:d${n}> .`

export const markOf = (graph: string, n: number): string =>
  `<${graph}> <urn:cartulary:control#pending> "${n}" .`

/** Lines sorted and without doubles, each with its end, as `Change.content` wants them. */
export const content = (lines: readonly string[]): string =>
  [...new Set(lines)]
    .sort()
    .map((line) => `${line}\n`)
    .join('')

/** The lines of a text in order, without ends; of an absent graph none. */
export const linesOf = (text: string | undefined): string[] =>
  [...new Set((text ?? '').split('\n').filter((line) => line !== ''))].sort()

/** A graph of `size` triples whose values carry `version`, on three levels. */
export const record = (size: number, version = '1'): string =>
  content(
    Array.from({ length: size }, (_, n) => {
      if (n % 9 === 3) return `<urn:test:s> <urn:test:part> <urn:test:part:${n}> .`
      if (n % 9 === 4) return `<urn:test:part:${n - 1}> <urn:test:in> <urn:test:deep:${n}> .`
      return `<urn:test:s> <urn:test:p${n % 7}> "value ${n} ${version}"@en .`
    }),
  )

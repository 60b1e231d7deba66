/** The official shapes of DCAT-AP, validated with as their publishers do: the package as it is, over its own data structures. */

import { existsSync, readFileSync } from 'node:fs'
import type { Quad, Term } from '@rdfjs/types'
import Validator from 'rdf-validate-shacl'
import environment from 'rdf-validate-shacl/src/defaultEnv.js'
import { parse } from '../../../src/rdf/parse.ts'
import { compileShapes } from '../../../src/metrics/validate/shacl-engine.ts'
import { readShapes } from '../../../src/metrics/validate/shape-files.ts'

export const data = new URL('../../../../shared/data/', import.meta.url).pathname
export const isThere = existsSync(data)
export const directory = new URL('../../../shapes/dcat-ap/', import.meta.url).pathname

const old = 'dcat-ap-2.1.1/dcat-ap_2.1.1_shacl_'

/** Our file → the official one. */
export const twins: Readonly<Record<string, string>> = {
  '3.0.1/base': 'dcat-ap-3.0.1/shapes',
  '3.0.1/recommended': 'dcat-ap-3.0.1/shapes_recommended',
  '3.0.1/vocabularies': 'dcat-ap-3.0.1/mdr-vocabularies.shape',
  '3.0.1/deprecated': 'dcat-ap-3.0.1/deprecateduris',
  '3.0.1/range': 'dcat-ap-3.0.1/range',
  '2.1.1/base': `${old}shapes`,
  '2.1.1/recommended': `${old}shapes_recommended`,
  '2.1.1/vocabularies': `${old}mdr-vocabularies.shape`,
  '2.1.1/deprecated': `${old}deprecateduris`,
  '2.1.1/range': `${old}range`,
}

/** One result in words: focus node, path, severity and component. */
type Told = (quads: readonly Quad[]) => Promise<readonly string[]>

const sentence = (...terms: readonly (string | undefined)[]) => terms.join(' ')

const nameOf = (term: Term | null | undefined) => {
  if (!term) return '-'
  return term.termType === 'BlankNode' ? '_:' : term.value
}

/** Blank focus nodes are told apart by their labels, complex paths are not told apart. */
const focusOf = (term: Term | null | undefined) =>
  term?.termType === 'BlankNode' ? `_:${term.value}` : nameOf(term)

export async function official(set: string): Promise<{ quads: readonly Quad[]; told: Told }> {
  const text = readFileSync(`${data}shapes/${twins[set]}.ttl`, 'utf8')
  const quads = (await parse(text, 'turtle', { baseIri: 'urn:official' })).filter(
    ({ predicate }) => !predicate.value.endsWith('#imports'),
  )
  const validator = new Validator(environment['dataset']([...quads]))
  const told: Told = async (record) => {
    const { results } = await validator.validate(environment['dataset']([...record]))
    return results
      .map((result) =>
        sentence(
          focusOf(result.focusNode),
          nameOf(result.path),
          result.severity?.value.split('#')[1],
          result.sourceConstraintComponent?.value.split('#')[1],
        ),
      )
      .sort()
  }
  return { quads, told }
}

export async function ours(set: string): Promise<{ quads: readonly Quad[]; told: Told }> {
  const quads = await readShapes([`${directory}${set}.ttl`])
  const engine = compileShapes(quads, 1_000_000)
  const told: Told = (record) =>
    Promise.resolve(
      engine
        .validate(record)
        .results.map(({ focusNode, path, severity, component }) =>
          sentence(
            focusOf(focusNode),
            path && 'termType' in path ? nameOf(path) : path ? '_:' : '-',
            severity,
            component.split('#')[1],
          ),
        )
        .sort(),
    )
  return { quads, told }
}

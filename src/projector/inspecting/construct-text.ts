/** Writes a CONSTRUCT query over the named graphs of records (SPARQL 1.1, 16.2). */

import { prefixes } from '../../rdf/namespaces.ts'
import type { Alternative, Step } from './patterns.ts'

const widest = 100
const namespaces = Object.entries(prefixes)
const plainName = /^[A-Za-z][\w-]*$/

/** A prefixed name where the IRI has one. */
function shortened(iri: string, used: Set<string>): string {
  for (const [prefix, namespace] of namespaces) {
    const name = iri.slice(namespace.length)
    if (!iri.startsWith(namespace) || !plainName.test(name)) continue
    used.add(prefix)
    return `${prefix}:${name}`
  }
  return `<${iri}>`
}

/** Words in lines that are not too wide. */
function wrapped(words: readonly string[], indent: string): string {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && indent.length + last.length + word.length < widest)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.map((line) => `${indent}${line}\n`).join('')
}

type Writing = { readonly graph: string; readonly used: Set<string> }

const variable = (name: string, { graph }: Writing) => (name === graph ? `$${name}` : `?${name}`)

function stepText(step: Step, writing: Writing): string {
  const { from, by, to, inverse } = step
  const names = by.map((iri) => shortened(iri, writing.used))
  const [subject, object] = [variable(from, writing), variable(to, writing)]
  if (by.length === 0) return `      ${subject} ?${to}_link ${object} .\n`
  const [start, end] = inverse ? ([object, subject] as const) : ([subject, object] as const)
  const separated = names.map((name, at) => (at === names.length - 1 ? name : `${name}|`))
  const path = [start, ...separated, `${end} .`]
  const [first = '', ...more] = wrapped(path, '        ').split('\n')
  return `      ${[first.trim(), ...more].join('\n')}`
}

function alternativeText({ steps, triple, predicates }: Alternative, writing: Writing): string {
  const [subject, predicate, object] = triple.map((name) => variable(name, writing))
  const names = predicates?.map((iri) => shortened(iri, writing.used))
  const chosen = names ? `      VALUES ${predicate} {\n${wrapped(names, '        ')}      }\n` : ''
  const way = steps.map((step) => stepText(step, writing)).join('')
  return `    {\n${way}${chosen}      ${subject} ${predicate} ${object} .\n    }`
}

/** `$graph` stands for the records, each in a graph of its own name. */
export function constructText(
  title: string,
  graph: string,
  alternatives: readonly Alternative[],
): string {
  const writing = { graph, used: new Set<string>() }
  const parts = alternatives.map((part) => alternativeText(part, writing)).join(' UNION\n')
  const triples = new Set(
    alternatives.map(({ triple }) => triple.map((name) => variable(name, writing)).join(' ')),
  )
  const head = [...writing.used]
    .sort()
    .map((prefix) => `PREFIX ${prefix}: <${prefixes[prefix]}>\n`)
    .join('')
  const template = [...triples].map((triple) => `  ${triple} .\n`).join('')
  return `# ${title}
# Put the IRIs of the graphs in the place of UNDEF. Written by \`npm run profile -- queries\`; do not edit.
${head}CONSTRUCT {
${template}}
WHERE {
  VALUES $${graph} { UNDEF }
  GRAPH $${graph} {
${parts}
  }
}
`
}

/** What of a graph is a link: where content and links lie together, a rule tells them apart. */

import { dcat, systemGraph } from '../../rdf/namespaces.ts'

/** Whether a line (with or without its line end) is a link of the graph, and not content. */
export type LinkRule = (graph: string, line: string) => boolean

/** The predicates by which a catalogue names its members. */
export const linkPredicates: readonly string[] = [dcat('dataset').value, dcat('record').value]

/**
 * Every line of the system graph, and in a catalogue's graph the lines by which the catalogue itself names its datasets
 * and records.
 */
export function linkRule(isCatalogue: (graph: string) => boolean): LinkRule {
  return (graph, line) => {
    if (graph === systemGraph) return true
    if (!isCatalogue(graph)) return false
    return linkPredicates.some((predicate) => line.startsWith(`<${graph}> <${predicate}> <`))
  }
}

/** Whether a graph can have links, so that reading its content alone has to leave them out. */
export const mayHaveLinks = (graph: string, isLink: LinkRule): boolean =>
  isLink(graph, `<${graph}> <${linkPredicates[0]}> <urn:x> .`)

/** The node that describes a profile as a whole. */

import type { Term } from '@rdfjs/types'
import { localName, rdf, type Statements } from './statements.ts'

export type ProfileNode = {
  readonly profileVersion: string
  readonly title: string
  readonly description: string
  readonly maker: string
  readonly versionInfo: string
}

const dct = 'http://purl.org/dc/terms/'

/** The profile node of a file and its line; it may be missing. */
export function profileNodeOf(
  statements: Statements,
): { readonly node: ProfileNode; readonly line: number } | undefined {
  const isProfile = (type: Term) => /^[A-Z][A-Za-z]*Profile$/.test(localName(type.value))
  for (const node of statements.subjects.values()) {
    const typed = statements.all(node, `${rdf}type`).some(isProfile)
    if (!typed && statements.all(node, 'profileVersion').length === 0) continue
    return {
      node: {
        profileVersion: statements.text(node, 'profileVersion'),
        title: statements.text(node, `${dct}title`),
        description: statements.text(node, `${dct}description`),
        maker: statements.text(node, 'http://xmlns.com/foaf/0.1/maker'),
        versionInfo: statements.text(node, 'http://www.w3.org/2002/07/owl#versionInfo'),
      },
      line: statements.line(node, 'profileVersion'),
    }
  }
  return undefined
}

/** The hash that a dataset's catalogue record carries. */

import { spdx } from '../../rdf/namespaces.ts'
import type { Graph } from '../../rdf/read.ts'

import type { Names } from '../../rdf/names.ts'

/** SHA-256 in hex of what was sent; `''` when a direct writer left the record without one. */
export function storedHash(graph: Graph, names: Names, id: string): string {
  const [checksum] = graph.objects(names.record(id), spdx('checksum'))
  const [value] = checksum ? graph.objects(checksum, spdx('checksumValue')) : []
  return value?.value ?? ''
}

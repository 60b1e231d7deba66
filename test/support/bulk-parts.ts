/** Takes the N-Quads of an import's bulk request apart, without the product's own reading. */

export type BulkPart = {
  readonly originalId: string
  /** N-Triples without the record. */
  readonly body: string
}

/** Each graph is a dataset; its record under `platform` says under which id it comes. */
export function bulkParts(body: string, platform: string): BulkPart[] {
  const lines = body.split('\n').filter((line) => line !== '')
  const graphs = Map.groupBy(lines, (line) => / (<urn:\d+>) \.$/.exec(line)?.[1])
  const isRecord = (line: string) => line.startsWith(`<${platform}set/record/`)
  return [...graphs.values()].map((graph) => {
    const told = graph.find((line) => isRecord(line) && line.includes('/identifier> '))
    const text = /identifier> (".*") <urn/.exec(told ?? '')?.[1] ?? '""'
    const own = graph.filter((line) => !isRecord(line))
    return {
      originalId: String(JSON.parse(text)),
      body: own.map((line) => line.replace(/ <urn:\d+> \.$/, ' .\n')).join(''),
    }
  })
}

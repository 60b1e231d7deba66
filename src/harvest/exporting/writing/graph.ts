/** Whether a record can go out with others in one body, and under which node. */

import { dcat, rdf } from '../../../rdf/namespaces.ts'

const types = [dcat('Dataset'), dcat('DatasetSeries')].map(
  ({ value }) => ` <${rdf('type').value}> <${value}> .\n`,
)

/**
 * The dataset's node, when the text is plain N-Triples, a triple per line, about exactly one dataset with an IRI;
 * everything else goes out by itself, and the repository says what it thinks of it.
 */
export function datasetOf(mediaType: string, text: string): string | undefined {
  if (mediaType.split(';')[0]?.trim() !== 'application/n-triples') return undefined
  const found = types.flatMap((type) => subjectsOf(text, type))
  const [node] = found
  if (node === undefined || found.length !== 1 || !node.startsWith('<')) return undefined
  return isPlain(text) ? node : undefined
}

/** At most two: more make no difference. */
function subjectsOf(text: string, type: string): string[] {
  const found: string[] = []
  for (let at = text.indexOf(type); at >= 0 && found.length < 2; at = text.indexOf(type, at + 1))
    found.push(text.slice(text.lastIndexOf('\n', at) + 1, at))
  return found
}

function isPlain(text: string): boolean {
  if (text.includes('\r')) return false
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    const starts = text[at] === '<' || text[at] === '_'
    if (end < 0 || !starts || !text.startsWith(' .', end - 2)) return false
    at = end + 1
  }
  return true
}

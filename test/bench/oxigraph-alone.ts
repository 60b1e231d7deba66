/** What Oxigraph needs for the triples of an embedded store and nothing else: `node oxigraph-alone.ts <directory>`, a line of JSON. */

import { boundedEngine, startEngine } from '../../src/store/embedded/engine.ts'
import { GraphFile } from '../../src/store/embedded/graph-file.ts'
import { loadGraphs } from '../../src/store/embedded/load-graphs.ts'
import { openQuads } from '../../src/store/embedded/quads.ts'
import { quadsParts } from '../../src/store/embedded/quads-parts.ts'
import { memory } from './memory.ts'

const file = new GraphFile(process.argv[2] ?? '', true)
startEngine(boundedEngine(2 ** 32))
const quads = openQuads()
const before = await memory(process.pid)
loadGraphs(quadsParts(file, {}), quads)
const after = await memory(process.pid)
process.stdout.write(
  JSON.stringify({ triples: quads.size(), before: before.now, after: after.now }),
)

/** A city whose catalogue changes, as one document on a server of its own, and a pipe that reads it. */

import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

export type City = {
  readonly address: string
  /** The datasets that the document holds: number → revision. */
  readonly datasets: Map<number, number>
  /** Comment of the document, asked for each answer. */
  remark: () => string
  /** HTTP status of the answers. */
  status: number
  /** What an answer waits for. */
  wait: Promise<unknown>
  readonly end: () => Promise<void>
}

const dataset = (n: number, revision: number): string => `
<https://city.example/dataset/${n}> a dcat:Dataset ;
  dct:identifier "city-${n}" ;
  dct:title "Dataset ${n}, revision ${revision}"@en ;
  dct:description "What the city knows of thing ${n}."@en ;
  dcat:distribution <https://city.example/dataset/${n}/csv> .
<https://city.example/dataset/${n}/csv> a dcat:Distribution ;
  dcat:accessURL <https://city.example/files/${n}.csv> .
`

export async function city(count: number): Promise<City> {
  const datasets = new Map(Array.from({ length: count }, (_, n) => [n, 1]))
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/turtle')
    response.statusCode = made.status
    const answer = () =>
      response.end(
        `# ${made.remark()}\n` +
          '@prefix dcat: <http://www.w3.org/ns/dcat#> .\n@prefix dct: <http://purl.org/dc/terms/> .\n' +
          [...datasets].map(([n, revision]) => dataset(n, revision)).join(''),
      )
    void made.wait.then(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const made: City = {
    address: `http://127.0.0.1:${port}/catalog.ttl`,
    datasets,
    remark: () => '',
    status: 200,
    wait: Promise.resolve(),
    end: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return made
}

/** A directory with one pipe that brings the city into the catalogue `city`. */
export async function pipeInto(directory: string, address: string): Promise<string> {
  const pipes = join(directory, 'own-pipes')
  await mkdir(pipes, { recursive: true })
  const segment = (name: string, segmentNumber: number, config: object) => ({
    header: { name, segmentNumber, processed: false },
    body: { config },
  })
  const pipe = {
    header: { id: 'city', name: 'city', transport: 'payload', version: '2.0.0' },
    body: {
      segments: [
        segment('importing-rdf', 1, { address, catalogue: 'city', hostDelayMs: 0 }),
        segment('exporting-hub', 2, { hub: { serviceName: 'hub-repo' } }),
      ],
    },
  }
  await writeFile(join(pipes, 'city.json'), JSON.stringify(pipe))
  return pipes
}

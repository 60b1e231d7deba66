/** A segment of somebody else: a process in another runtime that speaks the protocol of pipes and nothing of ours. */

import { spawn, spawnSync } from 'node:child_process'

/** Replaces `Brunnen` by `Quelle` in every record and passes the pipe on; a list of identifiers goes through untouched. */
const python = `
import json, queue, threading, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
jobs = queue.Queue()
class Segment(BaseHTTPRequestHandler):
    def do_POST(self):
        pipe = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
        jobs.put(pipe)
        self.send_response(202)
        self.end_headers()
        self.wfile.write(pipe['header']['runId'].encode())
    def log_message(self, *_): pass
def work():
    while True:
        pipe = jobs.get()
        own, next = [s for s in pipe['body']['segments'] if not s['header']['processed']][:2]
        own['header']['processed'] = True
        payload = next['body']['payload'] = own['body'].pop('payload')
        if payload['body']['dataInfo'].get('content') != 'identifierList':
            payload['body']['data'] = payload['body']['data'].replace('Brunnen', 'Quelle')
        end = next['body']['endpoint']
        urllib.request.urlopen(urllib.request.Request(end['address'], json.dumps(pipe).encode(), {'Content-Type': 'application/json'}))
for _ in range(4): threading.Thread(target=work, daemon=True).start()
server = ThreadingHTTPServer(('127.0.0.1', 0), Segment)
print(server.server_port, flush=True)
server.serve_forever()
`

/** The same for where there is no Python. */
const node = `
import { createServer } from 'node:http'
const jobs = []
const work = async () => {
  for (;;) {
    const pipe = jobs.shift()
    if (!pipe) { await new Promise((go) => setTimeout(go, 5)); continue }
    const [own, next] = pipe.body.segments.filter((one) => !one.header.processed)
    own.header.processed = true
    const payload = (next.body.payload = own.body.payload)
    delete own.body.payload
    if (payload.body.dataInfo.content !== 'identifierList') payload.body.data = payload.body.data.replaceAll('Brunnen', 'Quelle')
    await fetch(next.body.endpoint.address, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(pipe) })
  }
}
const server = createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  jobs.push(JSON.parse(text))
  response.writeHead(202).end(jobs.at(-1)?.header.runId)
}).listen(0, '127.0.0.1', () => console.log(server.address().port))
for (let n = 0; n < 4; n += 1) work()
`

/** The same again behind a queue of a NATS server; arguments: address and queue. */
const nats = `
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
const [address, queue] = process.argv.slice(-2)
const { host, username: user, password: pass } = new URL(address)
const connection = await connect({ servers: host, user, pass })
const manager = await jetstreamManager(connection)
const client = manager.jetstream()
await manager.streams.add({ name: queue, subjects: [queue], retention: 'workqueue' })
await manager.consumers.add(queue, { durable_name: 'foreign', ack_policy: 'explicit' })
const consumer = await client.consumers.get(queue, 'foreign')
console.log(1)
for await (const message of await consumer.consume()) {
  const pipe = message.json()
  const [own, next] = pipe.body.segments.filter((one) => !one.header.processed)
  own.header.processed = true
  const payload = (next.body.payload = own.body.payload)
  delete own.body.payload
  if (payload.body.dataInfo.content !== 'identifierList') payload.body.data = payload.body.data.replaceAll('Brunnen', 'Quelle')
  await client.publish(next.body.endpoint.address, JSON.stringify(pipe))
  message.ack()
}
`

export type ForeignSegment = {
  readonly runtime: 'python' | 'node'
  /** Where it listens; 1 where it has no port. */
  readonly port: number
  readonly stop: () => Promise<void>
}

const hasPython = () => spawnSync('python3', ['-c', 'pass']).status === 0

export const foreignSegment = (): Promise<ForeignSegment> =>
  hasPython()
    ? started('python', 'python3', ['-c', python])
    : started('node', process.execPath, ['--input-type=module', '-e', node])

export const foreignSegmentAt = (broker: string, queue: string): Promise<ForeignSegment> =>
  started('node', process.execPath, ['--input-type=module', '-e', nats, broker, queue])

async function started(
  runtime: ForeignSegment['runtime'],
  file: string,
  words: readonly string[],
): Promise<ForeignSegment> {
  const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())))
    void ended.then(() => reject(new Error(`the segment ended: ${errors}`)))
  })
  return {
    runtime,
    port,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Node ends the process when a thread is terminated inside the making of a zlib stream: the program below shows it without a lock. */

import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const source = (name: string) => new URL(`../../src/workers/${name}`, import.meta.url).href

/** Starts and ends threads that do nothing but compress; prints how many ended. */
const program = (rounds: number) => `
  import { Worker } from 'node:worker_threads'
  import { terminateWorker, withTerminationLock } from '${source('uninterrupted.ts')}'
  const code = \`
    import { deflateRawSync } from 'node:zlib'
    import { parentPort } from 'node:worker_threads'
    import { uninterrupted } from '${source('uninterrupted.ts')}'
    const text = Buffer.alloc(2000, 'abc')
    parentPort.postMessage('ready')
    for (;;) uninterrupted(() => deflateRawSync(text, { level: 1 }))
  \`
  const entry = new URL('data:text/javascript,' + encodeURIComponent(code))
  let ended = 0
  while (ended < ${rounds}) {
    const worker = withTerminationLock(() => new Worker(entry))
    await new Promise((resolve) => worker.once('message', resolve))
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 10))
    await terminateWorker(worker)
    ended++
  }
  console.log(ended)
`

it('a thread that compresses all the time can be ended 40 times without ending the process', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program(40)],
    { encoding: 'utf8', timeout: 50_000 },
  )
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '40\n', stderr: '' })
})

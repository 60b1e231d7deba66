/** Names of queues as a NATS server has them: a stream, its subject, and where messages go that nobody could take. */

import { Failure, shown } from '../../../errors.ts'

export type QueueNames = {
  readonly subject: string
  readonly stream: string
  readonly deadSubject: string
  readonly deadStream: string
}

/** The subject is the queue's name; dots, which streams may not have, become `_` there. Throws `invalid-pipe`. */
export function queueNames(queue: string): QueueNames {
  if (!isName(queue)) {
    throw new Failure('invalid-pipe', `${shown(queue)} cannot be the name of a queue`)
  }
  const stream = queue.replaceAll('.', '_')
  return {
    subject: queue,
    stream,
    deadSubject: `${queue}.dead-letter`,
    deadStream: `${stream}_dead-letter`,
  }
}

const isName = (queue: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- they are what must not be there
  /^[^\u0000-\u0020\u007f*>/\\]{1,200}$/.test(queue) &&
  !queue.startsWith('$') &&
  queue.split('.').every((part) => part !== '')

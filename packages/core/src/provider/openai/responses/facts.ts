import type { NameMap } from '../../../formatter/index.ts';
import type { AnswerFacts } from '../../shared/index.ts';

export interface ResponsesAnswerFacts extends AnswerFacts {
  /** As asked for: what is encrypted is kept under it. */
  readonly modelName: string;
  readonly names: NameMap;
}

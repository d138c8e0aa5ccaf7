import { ModelRegistry } from './model/index.ts';

// The providers that come with the package. Each is loaded when a model of it is first asked for.
ModelRegistry.registerFactory('openai', async (modelName) => new (await import('./provider/openai/index.ts')).OpenAIChatModel({ modelName }), {
  variable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
});
ModelRegistry.registerFactory('openai-responses', async (modelName) => new (await import('./provider/openai/index.ts')).OpenAIResponsesModel({ modelName }), {
  variable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
});
ModelRegistry.registerFactory('anthropic', async (modelName) => new (await import('./provider/anthropic/index.ts')).AnthropicChatModel({ modelName }), {
  variable: 'ANTHROPIC_API_KEY',
  urlVariable: 'ANTHROPIC_BASE_URL',
});
ModelRegistry.registerFactory('gemini', async (modelName) => new (await import('./provider/gemini/index.ts')).GeminiChatModel({ modelName }), {
  variable: 'GEMINI_API_KEY',
  urlVariable: 'GOOGLE_GEMINI_BASE_URL',
});
ModelRegistry.registerFactory('ollama', async (modelName) => new (await import('./provider/ollama/index.ts')).OllamaChatModel({ modelName }), {
  urlVariable: 'OLLAMA_HOST',
});
ModelRegistry.registerFactory('offline:demo', async () => new (await import('./provider/offline/index.ts')).OfflineChatModel());

export { ModelRegistry };

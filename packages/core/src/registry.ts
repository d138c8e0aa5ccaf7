import { ModelRegistry } from './model/index.ts';

// The providers that come with the package. Each is loaded when a model of it is first asked for.
ModelRegistry.registerFactory('openai', async (modelName, { credential }) => new (await import('./provider/openai/index.ts')).OpenAIChatModel({ modelName, ...credential }), {
  variable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
  listModels: async (options) => (await import('./provider/openai/index.ts')).listOpenAIModels(options),
});
ModelRegistry.registerFactory('openai-responses', async (modelName, { credential }) => new (await import('./provider/openai/index.ts')).OpenAIResponsesModel({ modelName, ...credential }), {
  variable: 'OPENAI_API_KEY',
  urlVariable: 'OPENAI_BASE_URL',
  listModels: async (options) => (await import('./provider/openai/index.ts')).listOpenAIModels(options),
});
ModelRegistry.registerFactory('anthropic', async (modelName, { credential }) => new (await import('./provider/anthropic/index.ts')).AnthropicChatModel({ modelName, ...credential }), {
  variable: 'ANTHROPIC_API_KEY',
  urlVariable: 'ANTHROPIC_BASE_URL',
  listModels: async (options) => (await import('./provider/anthropic/index.ts')).listAnthropicModels(options),
});
ModelRegistry.registerFactory('gemini', async (modelName, { credential }) => new (await import('./provider/gemini/index.ts')).GeminiChatModel({ modelName, ...credential }), {
  variable: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  urlVariable: 'GOOGLE_GEMINI_BASE_URL',
  listModels: async (options) => (await import('./provider/gemini/index.ts')).listGeminiModels(options),
});
ModelRegistry.registerFactory('dashscope', async (modelName, { credential }) => new (await import('./provider/dashscope/index.ts')).DashScopeChatModel({ modelName, ...credential }), {
  variable: 'DASHSCOPE_API_KEY',
  urlVariable: 'DASHSCOPE_HTTP_BASE_URL',
  listModels: async (options) => (await import('./provider/dashscope/index.ts')).listDashScopeModels(options),
});
ModelRegistry.registerFactory('ollama', async (modelName, { credential }) => new (await import('./provider/ollama/index.ts')).OllamaChatModel({ modelName, ...credential }), {
  urlVariable: 'OLLAMA_HOST',
  listModels: async (options) => (await import('./provider/ollama/index.ts')).listOllamaModels(options),
});
ModelRegistry.registerFactory('deepseek', async (modelName, { credential }) => new (await import('./provider/deepseek/index.ts')).DeepSeekChatModel({ modelName, ...credential }), {
  variable: 'DEEPSEEK_API_KEY',
  urlVariable: 'DEEPSEEK_BASE_URL',
  listModels: async (options) => (await import('./provider/deepseek/index.ts')).listDeepSeekModels(options),
});
ModelRegistry.registerFactory('glm', async (modelName, { credential }) => new (await import('./provider/glm/index.ts')).GLMChatModel({ modelName, ...credential }), {
  variable: ['ZAI_API_KEY', 'GLM_API_KEY', 'ZHIPUAI_API_KEY'],
  urlVariable: 'ZAI_BASE_URL',
  listModels: async (options) => (await import('./provider/glm/index.ts')).listGLMModels(options),
});
ModelRegistry.registerFactory('kimi', async (modelName, { credential }) => new (await import('./provider/kimi/index.ts')).KimiChatModel({ modelName, ...credential }), {
  variable: ['MOONSHOT_API_KEY', 'KIMI_API_KEY'],
  urlVariable: 'MOONSHOT_BASE_URL',
  listModels: async (options) => (await import('./provider/kimi/index.ts')).listKimiModels(options),
});
ModelRegistry.registerFactory('minimax', async (modelName, { credential }) => new (await import('./provider/minimax/index.ts')).MiniMaxChatModel({ modelName, ...credential }), {
  variable: 'MINIMAX_API_KEY',
  urlVariable: 'MINIMAX_BASE_URL',
  listModels: async (options) => (await import('./provider/minimax/index.ts')).listMiniMaxModels(options),
});
ModelRegistry.registerFactory('xai', async (modelName, { credential }) => new (await import('./provider/xai/index.ts')).XAIChatModel({ modelName, ...credential }), {
  variable: 'XAI_API_KEY',
  urlVariable: 'XAI_BASE_URL',
  listModels: async (options) => (await import('./provider/xai/index.ts')).listXAIModels(options),
});
ModelRegistry.registerFactory('offline:demo', async () => new (await import('./provider/offline/index.ts')).OfflineChatModel());

export { ModelRegistry };

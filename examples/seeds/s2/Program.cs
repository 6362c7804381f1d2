var app = WebApplication.Create();
